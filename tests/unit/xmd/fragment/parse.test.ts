import { expect, it } from 'vitest';
import type { ElementNode, FragmentNode, RefusalClass } from '../../../../controllers/xmd/fragment/fragment.ts';
import { readFragment } from '../../../../controllers/xmd/fragment/parse.ts';
import { LIMIT_DEFAULTS } from '../../../../controllers/xmd/vocabulary/limits.ts';

const LIMITS = { textBytes: 1000, elements: 3, depth: 2 };

function nodesOf(text: string): readonly FragmentNode[] {
  const verdict = readFragment(text, LIMIT_DEFAULTS);
  return verdict.ok ? verdict.value.nodes : [];
}

function elementOf(text: string): ElementNode | undefined {
  return nodesOf(text).find((node) => node.kind === 'element');
}

function refusal(refusalClass: RefusalClass, line: number, column: number): unknown {
  return { ok: false, refusal: { class: refusalClass, line, column } };
}

it('F-01 refuses a text of one byte too many, in bytes of UTF-8', () => {
  expect(readFragment('é'.repeat(500), LIMITS).ok).toBe(true);
  expect(readFragment(`${'é'.repeat(500)}x`, LIMITS)).toEqual(refusal('limit', 1, 1));
  expect(readFragment('🎉'.repeat(250), LIMITS).ok).toBe(true);
  expect(readFragment(`x${'🎉'.repeat(250)}`, LIMITS)).toEqual(refusal('limit', 1, 1));
  expect(readFragment('€'.repeat(334), LIMITS)).toEqual(refusal('limit', 1, 1));
});

it('F-02 refuses the first element beyond the limit, at its tag', () => {
  expect(readFragment('<A/><A/>\n<A/>', LIMITS)).toMatchObject({ ok: true, value: { elementCount: 3 } });
  expect(readFragment('<A/><A/>\n<A/> <A/>', LIMITS)).toEqual(refusal('limit', 2, 6));
});

it('F-03 refuses an element one level too deep, at its tag', () => {
  expect(readFragment('<A><B/></A>', LIMITS).ok).toBe(true);
  expect(readFragment('<A><B><C/></B></A>', LIMITS)).toEqual(refusal('limit', 1, 7));
});

it('F-04 refuses ten thousand levels without recursion', () => {
  const deep = `${'<A>'.repeat(10_000)}${'</A>'.repeat(10_000)}`;

  expect(readFragment(deep, { textBytes: 100_000, elements: 20_000, depth: 20_000 }).ok).toBe(true);
  expect(readFragment(deep, LIMIT_DEFAULTS)).toEqual(refusal('limit', 1, 97));
});

it.each([
  ['a NUL', 'ab\n\0'],
  ['a lone high surrogate', 'ab\n\ud83c'],
  ['a lone low surrogate', 'ab\n\udf89'],
  ['surrogates in the wrong order', 'ab\n\udf89\ud83c'],
])('F-05 refuses %s at it', (_, text) => {
  expect(readFragment(text, LIMITS)).toEqual(refusal('construct', 2, 1));
  expect(readFragment('ab\n\ud83c\udf89', LIMITS).ok).toBe(true);
});

it('F-06 refuses frontmatter, and reads a single rule', () => {
  expect(readFragment('---\na: 1\n---', LIMITS)).toEqual(refusal('construct', 1, 1));
  expect(readFragment('---\na: 1\n----', LIMITS).ok).toBe(true);
  expect(readFragment('\n---\na: 1\n---', LIMITS).ok).toBe(true);
});

it('F-07 refuses the first problem from left to right, an open element last', () => {
  expect(readFragment('<A>\n<B x=>\0', LIMITS)).toEqual(refusal('construct', 2, 1));
  expect(readFragment('<A>\n\0<B x=>', LIMITS)).toEqual(refusal('construct', 2, 1));
  expect(readFragment('<A>\n\0', LIMITS)).toEqual(refusal('construct', 2, 1));
  expect(readFragment('<A>\n', LIMITS)).toEqual(refusal('construct', 1, 1));
});

it('F-10 reads a capital behind < as a tag and everything else as text', () => {
  expect(nodesOf('a < b <c> <3 <! <')).toMatchObject([{ kind: 'text', start: 0, end: 17 }]);
  expect(readFragment('a <B', LIMITS)).toEqual(refusal('construct', 1, 3));
  expect(nodesOf('\\<B/>')).toMatchObject([{ kind: 'text' }, { kind: 'element', name: 'B' }]);
});

it('F-11 reads a name as far as it goes', () => {
  expect(elementOf('<A.b_C.1../>')?.name).toBe('A.b_C.1..');
  expect(readFragment('<A-b/>', LIMITS).ok).toBe(false);
});

it('F-12 reads props with any white space or none between them', () => {
  const element = elementOf('<A\n x\t=\r\n"1"y="2"z/>');

  expect([...(element?.props.keys() ?? [])]).toEqual(['x', 'y', 'z']);
  expect(readFragment('<A / >', LIMITS)).toEqual(refusal('construct', 1, 1));
  expect(readFragment('<A></A >', LIMITS)).toEqual(refusal('construct', 1, 4));
});

it('F-13 refuses a close tag of another element, at it', () => {
  expect(readFragment('<A><B></A></B>', LIMITS)).toEqual(refusal('construct', 1, 7));
  expect(readFragment('<A><B></B></A>', LIMITS).ok).toBe(true);
  expect(readFragment('<A></AB>', LIMITS)).toEqual(refusal('construct', 1, 4));
});

it('F-14 refuses what is left open at the outermost tag', () => {
  expect(readFragment('x <A><B>', LIMITS)).toEqual(refusal('construct', 1, 3));
});

it('F-15 refuses a tag in a comment, and reads a comment without one', () => {
  expect(readFragment('<!-- <A/> -->', LIMITS)).toEqual(refusal('construct', 1, 6));
  expect(readFragment('<!--\n```\n<A/>\n```\n-->', LIMITS)).toEqual(refusal('construct', 3, 1));
  expect(readFragment('<A><!-- </A>', LIMITS)).toEqual(refusal('construct', 1, 9));
  expect(readFragment('<!-- a --><A/>', LIMITS).ok).toBe(true);
  expect(readFragment('`<!--` <A/>', LIMITS).ok).toBe(true);
});

it('F-16 keeps the form as it is written', () => {
  expect(elementOf('<A></A>')).toMatchObject({ form: 'paired', contentStart: 3, contentEnd: 3, end: 7 });
  expect(elementOf('<A/>')).toMatchObject({ form: 'self-closing', contentStart: 4, contentEnd: 4 });
});

it('F-20 reads a quoted prop as the characters between its quotes', () => {
  const element = elementOf(`<A x='a "b" &amp; \\n' y="c>\nd" />`);

  expect(element?.props.get('x')).toMatchObject({ kind: 'string', value: 'a "b" &amp; \\n' });
  expect(element?.props.get('y')).toMatchObject({ kind: 'string', value: 'c>\nd' });
});

it.each(['<A x="a\\"b"/>', '<A x="a\\" />', `<A x="a\\'b"/>`, `<A x='a\\"'/>`])('F-21 refuses %s', (text) => {
  expect(readFragment(text, LIMITS)).toEqual(refusal('construct', 1, 1));
});

it('F-22 reads a bare name as true', () => {
  expect(elementOf('<A fenced/>')?.props.get('fenced')).toEqual({ kind: 'bare', value: true });
});

it('F-23 reads strict JSON in braces', () => {
  expect(elementOf('<A x={ {"a":[1,-2.5e3,"}",null],"__proto__":{}} }/>')?.props.get('x')).toMatchObject({
    kind: 'json',
    value: JSON.parse('{"a":[1,-2500,"}",null],"__proto__":{}}'),
  });
});

it.each(['a', "'a'", '', '`}`', '[1,]', '01', '1e999', '9007199254740993', '{"a":1,"\\u0061":2}', '"\\ud800"', '1 2'])(
  'F-24 keeps {%s} as an expression',
  (source) => {
    expect(elementOf(`<A x={${source}}/>`)?.props.get('x')).toEqual({
      kind: 'expression',
      place: { line: 1, column: 6 },
    });
  },
);

function nested(depth: number): string {
  return `<A x={${'['.repeat(depth)}${']'.repeat(depth)}}/>`;
}

it('F-24 reads JSON of 256 levels and no more', () => {
  expect(elementOf(nested(256))?.props.get('x')?.kind).toBe('json');
  expect(elementOf(nested(257))?.props.get('x')?.kind).toBe('expression');
});

it.each(['<A x="1" x="1"/>', '<A {...x}/>', '<A x=1/>', '<A x={"a"/>', '<A x={`}/>'])('F-25 refuses %s', (text) => {
  expect(readFragment(text, LIMITS)).toEqual(refusal('construct', 1, 1));
});

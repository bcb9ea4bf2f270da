import { expect, it } from 'vitest';
import type { RefusalClass, Verdict } from '../../../../controllers/xmd/fragment/fragment.ts';
import { checkText } from '../../../../controllers/xmd/preflight/check.ts';
import type { Plan, PlannedEffect } from '../../../../controllers/xmd/preflight/plan.ts';
import { hostOperation } from '../../../../controllers/xmd/vocabulary/host-operation.ts';
import { LIMIT_DEFAULTS } from '../../../../controllers/xmd/vocabulary/limits.ts';
import { buildTable } from '../../../../controllers/xmd/vocabulary/table.ts';

const note = hostOperation(
  { name: 'Note', form: 'paired', grant: 'write', revision: '1', content: 'text' },
  { target: { module: 'm', kind: 'K', name: 'n' }, compileProps: () => (props) => Object.keys(props).length === 0 },
);
const TABLE = buildTable({ grants: ['read', 'write'], operations: [note], allow: ['read', 'write'] });

function check(text: string, limits: Partial<typeof LIMIT_DEFAULTS> = {}): Verdict<Plan> {
  return checkText(text, TABLE, { ...LIMIT_DEFAULTS, ...limits });
}

function effectsOf(text: string): readonly PlannedEffect[] {
  const verdict = check(text);
  return verdict.ok ? verdict.value.effects : [];
}

function refusal(refusalClass: RefusalClass, line: number, column: number): unknown {
  return { ok: false, refusal: { class: refusalClass, line, column } };
}

it.each<[string, RefusalClass, number]>([
  ['<Nope as={x} />', 'component', 1],
  ['<Dir as={x} />', 'expression', 9],
  ['<Dir as="x" />', 'binding', 1],
  ['<Dir />', 'form', 1],
  ['<Dir></Dir>', 'props', 1],
  ['<Dir path="/"><Nope /></Dir>', 'props', 1],
  ['<Dir path="a"><Nope /></Dir>', 'component', 15],
])('F-40 refuses %s as %s, what comes first in an element first', (text, refusalClass, column) => {
  expect(check(text)).toEqual(refusal(refusalClass, 1, column));
});

it('F-40 admits nothing of a fragment that is refused at its end', () => {
  expect(check('<File path="a">x</File> {x}')).toEqual(refusal('interpolation', 1, 25));
  expect(check('<File path="a">x</File> { x }').ok).toBe(true);
});

it('F-41 refuses an element that the table does not hold', () => {
  expect(check('<Files path="a" />')).toEqual(refusal('component', 1, 1));
  expect(check('<File path="a" />').ok).toBe(true);
});

it('F-42 refuses an expression at its brace', () => {
  expect(check('<File path="a"\n  x={y} />')).toEqual(refusal('expression', 2, 5));
});

it('F-43 refuses a binding', () => {
  expect(check('<File path="a" as />')).toEqual(refusal('binding', 1, 1));
});

it('F-44 tells the form that is missing from content that is not', () => {
  expect(check('<Dir path="a" />')).toEqual(refusal('form', 1, 1));
  expect(check('<File.Delete path="a"></File.Delete>')).toEqual(refusal('content', 1, 1));
  expect(check('<Note>a<File path="a" /></Note>')).toEqual(refusal('content', 1, 8));
  expect(check('<Note>a `<File path="a" />`</Note>').ok).toBe(true);
});

it.each(['{a}', '{$a.b_1}', 'x{meta.}', '{props.a(b)\n}', '{ {a} }'])('F-45 refuses %s in prose', (text) => {
  expect(check(text)).toMatchObject({ ok: false, refusal: { class: 'interpolation' } });
  expect(check(`\`${text.replace('\n', '')}\``).ok).toBe(true);
  expect(check(`<File path="a">${text}</File>`).ok).toBe(true);
  expect(check(text.replaceAll('{', '\\{')).ok).toBe(true);
});

it.each(['{ a }', '{1}', '{a-b}', '{a.}', '{.a}', '{a[0]}', '{"a":1}', '{meta.', '{meta.b', '{metal.b c}', '{}'])(
  'F-45 leaves %s as it is',
  (text) => {
    expect(check(text)).toMatchObject({ ok: true, value: { nodes: [{ kind: 'text', text }] } });
  },
);

it('F-50 hands on the exact characters, code and all', () => {
  const content = '\t{a} \\{b} `c` \r\n```\n{d}\n```\ne  ';

  const [effect] = effectsOf(`<File path="a">${content}</File>`);
  expect(effect?.children.map((child) => (child.kind === 'text' ? child.text : '')).join('')).toBe(content);
});

it.each([
  ['\nx', 'x'],
  ['\r\nx', 'x'],
  ['\n\nx', '\nx'],
  ['\rx', '\rx'],
  [' \nx', ' \nx'],
])('F-51 takes one line ending off %j', (content, expected) => {
  expect(effectsOf(`<File path="a">${content}</File>`)[0]?.children).toEqual([{ kind: 'text', text: expected }]);
});

it('F-51 leaves an element directly behind the line ending', () => {
  expect(effectsOf('<File path="a">\n<File path="b" /></File>')[0]?.children).toMatchObject([{ kind: 'effect' }]);
});

it('F-52 wants fenced stated where the whole content is a fence', () => {
  const content = '\n```\nx\n```\n';

  expect(check(`<File path="a">${content}</File>`)).toEqual(refusal('content', 1, 1));
  expect(effectsOf(`<File path="a" fenced>${content}</File>`)[0]?.literal).toBe('x\n');
  expect(effectsOf(`<File path="a" fenced={false}>${content}</File>`)[0]?.children).toEqual([
    { kind: 'text', text: content.slice(1) },
  ]);
  expect(check(`<File path="a">.${content}</File>`).ok).toBe(true);
});

it('F-53 names the line at which a fence closed too early', () => {
  expect(check('<File path="a" fenced>\n```\nx\n  ```\n<A x=\n```\n</File>')).toEqual(refusal('content', 4, 3));
  expect(check('<File path="a" fenced>\n````\nx\n  ```\n<A x=\n````\n</File>').ok).toBe(true);
});

it('F-53 keeps no text beside the lines of a fence', () => {
  expect(effectsOf('<File path="a" fenced>\n ```\n x\n\n  y\n ```\n</File>')).toMatchObject([
    { literal: 'x\n\n y\n', children: [] },
  ]);
});

it.each(['<File />', '<File path />', '<File path={["a"]} />', '<File path="a" x />', '<File path="a" fenced />'])(
  'F-54 refuses %s',
  (text) => {
    expect(check(text)).toEqual(refusal('props', 1, 1));
  },
);

it('F-56 joins paths below directories', () => {
  const text = '<Dir path="a/"><Dir path="."><File path="./b" /></Dir><File.Delete path="c" /></Dir><File path="d" />';

  expect(effectsOf(text).map((effect) => effect.input)).toEqual([
    { path: 'a' },
    { path: 'a' },
    { path: 'a/b' },
    { path: 'a/c' },
    { path: 'd' },
  ]);
});

it('F-57 refuses content beyond fileBytes, before anything is performed', () => {
  expect(check('<File path="a">\néé</File>', { fileBytes: 4 }).ok).toBe(true);
  expect(check('<File path="a">ééx</File>', { fileBytes: 4 })).toEqual(refusal('limit', 1, 1));
  expect(check('<File path="a" fenced>\n  ```\n  abc\n  ```\n</File>', { fileBytes: 4 }).ok).toBe(true);
});

it('F-58 numbers elements among their siblings, an element before its content', () => {
  const text = 'a<File path="a" />b\n```\n<X/>\n```\n<Dir path="d">c<File path="e">f</File>\n<File path="g" /></Dir>';

  expect(effectsOf(text).map((effect) => effect.segment)).toEqual([
    'xmd[0]/File',
    'xmd[1]/Dir',
    'xmd[1]/Dir/xmd[0]/File',
    'xmd[1]/Dir/xmd[1]/File',
  ]);
});

it.each([
  '---\nname: x\n---\n',
  '{props.name}',
  '<Return>x</Return>',
  '<Output>x</Output>',
  '<Content />',
  '<Evaluate text="x" />',
  '<Syntax />',
])('E4 refuses %j, alone and behind a valid write', (construct) => {
  const write = '<File path="a">x</File>\n';

  expect(check(construct).ok).toBe(false);
  expect(check(`${construct.startsWith('---') ? construct : ''}${write}${construct}`).ok).toBe(false);
  expect(check(write).ok).toBe(true);
});

it('E4 keeps the order of reading before walking', () => {
  expect(check('{x}\n<File')).toEqual(refusal('construct', 2, 1));
});

it.each<[string, RefusalClass, number, number]>([
  ['\n<Nope />', 'component', 2, 1],
  ['{a} {', 'interpolation', 1, 1],
  [String.raw`<Dir path={x("\\")} />`, 'expression', 1, 11],
  ['<File path="a" fenced>a `x`\n```\nq\n```\n<B></File>', 'construct', 5, 4],
  ['a\0\udc00', 'construct', 1, 2],
])('F-60 the first fault of %j is %s at %i:%i', (text, refusalClass, line, column) => {
  expect(check(text)).toEqual(refusal(refusalClass, line, column));
});

it('F-45 what a brace closes and none opens is text', () => {
  expect(check('xname}')).toMatchObject({ ok: true });
  expect(check('xmeta.a}')).toMatchObject({ ok: true });
});

it('F-51 the line ending behind the tag of anything but a File is its content', () => {
  expect(effectsOf('<Dir path="a">\nx</Dir>')[0]?.children).toEqual([{ kind: 'text', text: '\nx' }]);
});

import { expect, it } from 'vitest';
import type { FragmentNode } from '../../../../controllers/xmd/fragment/fragment.ts';
import { readFragment } from '../../../../controllers/xmd/fragment/parse.ts';
import { LIMIT_DEFAULTS } from '../../../../controllers/xmd/vocabulary/limits.ts';

function nodesOf(text: string): readonly FragmentNode[] {
  const verdict = readFragment(text, LIMIT_DEFAULTS);
  return verdict.ok ? verdict.value.nodes : [];
}

function kindsOf(text: string): readonly string[] {
  return nodesOf(text).map((node) => node.kind);
}

it('F-30 opens a fence behind spaces and tabs only', () => {
  expect(nodesOf(' \t```js\nx\n \t```\n')).toMatchObject([
    { kind: 'text', end: 2 },
    { kind: 'fence', start: 2, bodyStart: 8, bodyEnd: 10, end: 15, indent: ' \t', executable: false },
    { kind: 'text' },
  ]);
  expect(kindsOf('- ~~~\n<A/>\n')).toEqual(['text', 'element', 'text']);
  expect(kindsOf('``` a`b\n<A/>')).toEqual(['text', 'element']);
  expect(kindsOf('~~~ a`b\n<A/>\n~~~')).toEqual(['fence']);
  expect(kindsOf('~~\n<A/>')).toEqual(['text', 'element']);
});

it('F-31 closes a fence with a run at least as long, and trailing white space', () => {
  expect(kindsOf('````\n```\n~~~~\n<A/>\n````` \t\r\n<B/>')).toEqual(['fence', 'text', 'element']);
  expect(kindsOf('```\n``` x\n<A/>\n```')).toEqual(['fence']);
});

it('F-32 runs an unclosed fence to the end', () => {
  expect(nodesOf('```\nmake')).toMatchObject([{ kind: 'fence', bodyStart: 4, bodyEnd: 8, end: 8, closed: false }]);
});

it('F-32 refuses an unclosed fence before what looks like an element', () => {
  expect(readFragment('a\n ```\nx\n<A/>', LIMIT_DEFAULTS)).toEqual({
    ok: false,
    refusal: { class: 'construct', line: 2, column: 2 },
  });
  expect(readFragment('a\n ```\nx\n```\n<A/>', LIMIT_DEFAULTS)).toMatchObject({ ok: true });
});

it.each([
  ['js exec', true],
  ['js  x\teval=1', true],
  ['js exec[a]', true],
  ['js eval{1}', true],
  ['exec', false],
  ['js executable', false],
  ['js Exec', false],
  ['js exec-x', false],
  ['js no-exec', false],
])('F-33 reads the info string "%s" as executable: %s', (info, executable) => {
  expect(nodesOf(`~~~${info}\n~~~`)).toMatchObject([{ kind: 'fence', executable }]);
});

it('F-34 ends a span at an equal run on its line', () => {
  expect(kindsOf('`<A/>` ``a ` <A/>`` x')).toEqual(['span', 'text', 'span', 'text']);
  expect(kindsOf('`<A/>\n`<B/>')).toEqual(['text', 'element', 'text', 'element']);
  expect(kindsOf('```` ` `` <A/> ` ``` ``')).toEqual(['text', 'span', 'text']);
});

it('F-35 reads no tag and no comment in a fence or a span', () => {
  expect(kindsOf('```\n<!--\n</B>\n<A x=>\n```\n`<A`')).toEqual(['fence', 'text', 'span']);
});

it('F-36 refuses a fence that holds the close tag of its element', () => {
  const fence = '\n```\n</A>\n```\n';

  expect(readFragment(`<A>${fence}</A>`, LIMIT_DEFAULTS)).toEqual({
    ok: false,
    refusal: { class: 'construct', line: 2, column: 1 },
  });
  expect(kindsOf(`<B>${fence}</B>`)).toEqual(['element']);
  expect(kindsOf('<File fenced>\n```\n</File>\n```\n</File>')).toEqual(['element']);
});

it('F-37 keeps what is behind the fence of a fenced File as text up to its close tag', () => {
  expect(nodesOf('<File fenced>\n```\n```\n<A x=>\n```\n</File>')).toMatchObject([
    { kind: 'element', children: [{ kind: 'text' }, { kind: 'fence' }, { kind: 'text' }] },
  ]);
});

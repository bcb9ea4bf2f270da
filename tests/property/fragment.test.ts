import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import type { FragmentNode, Prop } from '../../controllers/xmd/fragment/fragment.ts';
import { readFragment } from '../../controllers/xmd/fragment/parse.ts';
import { placeAt } from '../../controllers/xmd/fragment/place.ts';
import { LIMIT_CEILINGS } from '../../controllers/xmd/vocabulary/limits.ts';
import { checkWidest } from '../corpus/corpus.ts';
import type { NaiveNode } from './naive-reader.ts';
import { readNaively } from './naive-reader.ts';

const TOKENS = [
  '<File path="a" />',
  '<File path="a">',
  '</File>',
  '<File path="b" fenced>',
  '<Dir path="d">',
  '</Dir>',
  '<A/>',
  '<A>',
  '</A>',
  '<A.B x={1} y>',
  '</A.B>',
  "<A z='q'",
  '<',
  '/>',
  '>',
  '/',
  ' ',
  '\t',
  '\n',
  '\n\n',
  '\r\n',
  '  ',

  '`',
  '``',
  '```',
  '````',
  '~~~',
  '~~~~',
  '```js',
  '\n```\n',
  '\n~~~\n',
  '\n  ```sh exec\n',
  '``` \r\n',
  '\n\t```',

  '<!--',
  '-->',
  '<!-- x -->',
  '{',
  '}',
  '{x}',
  '{"a":[1,{}]}',
  '{{"a":"}"}}',
  '={',
  '="',
  "='",
  '"',
  "'",
  '\\',

  'x',
  'path=',
  'path="a"',
  ' as="x"',
  'fenced',
  '={true}',
  '={false}',
  '{1',
  '{`}`}',
  '🎉',
  'é',
  '\\{',
  '</',
  '<!',
];

const soup = fc.array(fc.constantFrom(...TOKENS), { maxLength: 40 }).map((tokens) => tokens.join(''));

/** Texts that are mostly well nested, so that the deep half of the reader is reached too. */
const { nested } = fc.letrec<{ nested: string; part: string }>((tie) => ({
  nested: fc.array(tie('part'), { maxLength: 5, depthIdentifier: 'nested' }).map((parts) => parts.join('')),
  part: fc.oneof(
    { maxDepth: 4, depthIdentifier: 'nested' },
    fc.constantFrom(
      'text',
      ' ',
      '\n',
      '\n\n',
      '`',
      '`<A>`',
      '``a`b``',
      '<A/>',
      '<File path="a" />',
      '<!-- c -->',
      '<!--',
    ),
    fc.constantFrom('\n```\n<X>\n```\n', '\n  ~~~ js\n</A>\n  ~~~\n', '\n```\n', '\n````\n```\n````\n', '~~~', ' {x} '),
    fc
      .tuple(
        fc.constantFrom('A', 'B', 'A.B', 'Dir', 'File'),
        fc.constantFrom('', ' x', ' y={ 1 }', ' fenced'),
        tie('nested'),
      )
      .map(([name, props, inner]) => `<${name}${props}>${inner}</${name}>`),
  ),
}));
const anyText = fc.oneof(soup, nested, fc.string({ unit: 'binary', maxLength: 200 }), fc.string({ maxLength: 200 }));

it('F-04 never throws, whatever the text is', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const verdict = checkWidest(text);
      const known = verdict.ok || (verdict.refusal.line >= 1 && verdict.refusal.column >= 1);
      expect(known).toBe(true);
    }),
    { numRuns: 3000 },
  );
});

it('F-07 reads what a second, naive reader reads, and stops where it stops', () => {
  fc.assert(
    fc.property(fc.oneof(soup, nested), (text) => {
      fc.pre(!text.startsWith('---'));
      const verdict = readFragment(text, LIMIT_CEILINGS);
      const naive = readNaively(text);
      const expected = 'offset' in naive ? { class: 'construct', ...placeAt(text, naive.offset) } : naive;
      expect(verdict.ok ? verdict.value.nodes.map((node) => shape(node, text)) : verdict.refusal).toEqual(expected);
    }),
    { numRuns: 6000 },
  );
});

it('F-50 keeps every character: the nodes put together are the text', () => {
  fc.assert(
    fc.property(fc.oneof(soup, nested), (text) => {
      const verdict = readFragment(text, LIMIT_CEILINGS);
      const whole = verdict.ok ? verdict.value.nodes.map((node) => source(node, text)).join('') : text;
      expect(whole).toBe(text);
    }),
    { numRuns: 3000 },
  );
});

const content = fc
  .string({ unit: 'binary', maxLength: 60 })
  .filter((text) => !/[<\0`~\uD800-\uDFFF]/u.test(text) && !/^\r?\n/.test(text));

it('F-51 writes exactly the characters between the tags', () => {
  fc.assert(
    fc.property(content, fc.constantFrom('', '\n', '\r\n'), (text, lineEnd) => {
      const verdict = checkWidest(`<File path="a">${lineEnd}${text}</File>`);
      const children = verdict.ok ? verdict.value.effects[0]?.children : verdict.refusal;
      expect(children).toEqual(text === '' ? [] : [{ kind: 'text', text }]);
    }),
  );
});

const line = fc
  .string({
    unit: fc.constantFrom('a', '{', '}', '<', 'F', '/', '>', '`', '~', '"', '\\', '🎉', ' ', '\t'),
    maxLength: 20,
  })
  .map((text) => `${text}\n`);

it('F-53 writes the exact lines of a fence that is longer than every run inside it', () => {
  fc.assert(
    fc.property(fc.array(line, { maxLength: 8 }), fc.constantFrom('', '  ', '\t', ' \t '), (lines, indent) => {
      const fence = '`'.repeat(Math.max(3, ...lines.map((one) => one.length)));
      const body = lines.map((one) => (one.trim() === '' ? one : `${indent}${one}`)).join('');
      const verdict = checkWidest(`<File path="a" fenced>\n${indent}${fence}x\n${body}${indent}${fence}\n</File>`);
      // A blank line that happens to start with the indentation loses it, like every other line.
      const expected = body.split(/(?<=\n)/).map((one) => (one.startsWith(indent) ? one.slice(indent.length) : one));
      expect(verdict.ok ? verdict.value.effects[0]?.literal : verdict.refusal).toBe(expected.join(''));
    }),
  );
});

function shape(node: FragmentNode, text: string): NaiveNode {
  if (node.kind !== 'element') {
    return [node.kind, text.slice(node.start, node.end)];
  }
  const props = [...node.props].map(([name, prop]) => `${name}: ${propShape(prop)}`);
  return [node.name, node.form, props, node.children.map((child) => shape(child, text))];
}

function propShape(prop: Prop): string {
  if (prop.kind === 'string') {
    return `string ${prop.value}`;
  }
  return prop.kind === 'json' ? `json ${JSON.stringify(prop.value)}` : prop.kind;
}

function source(node: FragmentNode, text: string): string {
  if (node.kind !== 'element') {
    return text.slice(node.start, node.end);
  }
  const inner = node.children.map((child) => source(child, text)).join('');
  return text.slice(node.start, node.contentStart) + inner + text.slice(node.contentEnd, node.end);
}

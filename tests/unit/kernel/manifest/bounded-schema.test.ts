import { describe, expect, it } from 'vitest';
import { ecmaPattern } from '../../../../kernel/cel/pattern/ecma.ts';
import { schemaFault, schemaProblems } from '../../../../kernel/check/schema-check.ts';
import { walkConfiguration } from '../../../../kernel/check/schema-walk.ts';
import { boundedValidator } from '../../../../kernel/manifest/ajv.ts';
import { codeOf } from '../../../../sdk/index.ts';

type Schema = object;

function verdict(schema: Schema, value: unknown): unknown {
  try {
    return boundedValidator(schema)(value).map(({ keyword, instancePath }) => `${instancePath} ${keyword}`);
  } catch (error) {
    return codeOf(error) ?? String(error);
  }
}

const nested = <T>(depth: number, seed: T, wrap: (inner: T) => T): T => {
  let value = seed;
  for (let level = 0; level < depth; level += 1) value = wrap(value);
  return value;
};

const laughs: Schema = {
  $ref: '#/definitions/a0',
  definitions: Object.fromEntries(
    Array.from({ length: 40 }, (_, index) => [
      `a${index}`,
      index === 39
        ? { type: 'number' }
        : { allOf: [{ $ref: `#/definitions/a${index + 1}` }, { $ref: `#/definitions/a${index + 1}` }] },
    ]),
  ),
};
const tree: Schema = {
  $ref: '#/definitions/node',
  definitions: {
    node: {
      anyOf: [
        { properties: { in: { $ref: '#/definitions/node' } }, required: ['x'] },
        { properties: { in: { $ref: '#/definitions/node' } }, required: ['y'] },
      ],
    },
  },
};

describe('M-40 a schema cannot hang a check', () => {
  it.each<[string, Schema, unknown]>([
    ['references that double', laughs, 1],
    ['branches that double with each level of the value', tree, nested<object>(40, {}, (inner) => ({ in: inner }))],
    ['a reference to itself', { $ref: '#' }, 1],
    [
      'references in a circle',
      { definitions: { a: { $ref: '#/definitions/b' }, b: { $ref: '#/definitions/a' } }, $ref: '#/definitions/a' },
      1,
    ],
    ['two references to itself', { allOf: [{ $ref: '#' }, { $ref: '#' }] }, 1],
    ['a reference into a keyword of nobody', { here: { loop: { $ref: '#/here/loop' } }, $ref: '#/here/loop' }, 1],
    ['unique items of many maps', { uniqueItems: true }, Array.from({ length: 50_000 }, (_, index) => ({ index }))],
    [
      'a large enum for each item',
      { items: { enum: Array.from({ length: 1500 }, (_, index) => ({ index })) } },
      Array.from({ length: 50_000 }, () => ({ index: -1 })),
    ],
    ['a pattern that is searched too long', { pattern: '(a|b)*(a|b)*(a|b)*c' }, 'ab'.repeat(500_000)],
    [
      'a pattern for each of many items',
      { items: { pattern: '^(a+)+$' } },
      Array.from({ length: 5000 }, () => `${'a'.repeat(1000)}!`),
    ],
    [
      'a pattern for each of many names',
      { patternProperties: { '^(a+)+$': { type: 'number' } } },
      Object.fromEntries(Array.from({ length: 3000 }, (_, index) => [`${'a'.repeat(1000)}${index}`, 1])),
    ],
    ['a value nested 100,000 deep', { items: { $ref: '#' } }, nested<unknown>(100_000, 1, (inner) => [inner])],
  ])('M-40 %s is refused', (_, schema, value) => {
    expect(verdict(schema, value)).toBe('ERR_SCHEMA_LIMIT');
  });

  it.each<[string, Schema, unknown, readonly string[]]>([
    [
      'a tree that refers to itself',
      { properties: { in: { $ref: '#' } }, additionalProperties: false },
      nested<object>(200, {}, (inner) => ({ in: inner })),
      [],
    ],
    ['the same in an anyOf', tree, nested<object>(5, { x: 1 }, (inner) => ({ in: inner, x: 1 })), []],
    ['unique items of texts', { uniqueItems: true }, Array.from({ length: 5000 }, (_, index) => `item ${index}`), []],
    ['unique items that are not', { uniqueItems: true }, [{ a: 1 }, { a: 1 }], [' uniqueItems']],
    [
      'an enum of a hundred',
      { items: { enum: Array.from({ length: 100 }, (_, index) => index) } },
      Array.from({ length: 10_000 }, () => 99),
      [],
    ],
    ['a pattern for fifty hostile characters', { pattern: '^(a+)+$' }, `${'a'.repeat(50)}!`, [' pattern']],
    [
      'two patterns in one schema',
      { properties: { a: { pattern: '^a$' }, b: { pattern: '^b$' } } },
      { a: 'a', b: 'a' },
      ['/b pattern'],
    ],
    ['a hundred thousand numbers', { items: { type: 'number' } }, Array.from({ length: 100_000 }, () => 1), []],
    [
      'a definition under another name',
      { components: { n: { type: 'number' } }, items: { $ref: '#/components/n' } },
      [1, 'a'],
      ['/1 type'],
    ],
    [
      'a property called as a keyword is',
      { properties: { enum: { type: 'string' }, $ref: { type: 'string' } } },
      { enum: 1, $ref: 'x' },
      ['/enum type'],
    ],
    [
      'a property called __proto__',
      { properties: Object.fromEntries([['__proto__', { type: 'string' }]]), additionalProperties: false },
      JSON.parse('{"__proto__":1}'),
      [' additionalProperties'],
    ],
  ])('M-40 ordinary work fits: %s', (_, schema, value, expected) => {
    expect(verdict(schema, value)).toEqual(expected);
  });

  it.each<[string, Schema]>([
    ['a large schema', { enum: Array.from({ length: 10_001 }, (_, index) => index) }],
    ['a deep schema', nested<Schema>(101, {}, (inner) => ({ not: inner }))],
    ['a long text', { description: 'x'.repeat(1024 * 1024 + 1) }],
    ['a lookahead', { pattern: '^(?!a)b' }],
    ['a backreference', { pattern: '(a)\\1' }],
    ['a broken pattern', { pattern: '(' }],
    ['a reference to the network', { $ref: 'https://example.com/schema.json' }],
  ])('M-41 %s does not compile, and check says so', (_, schema) => {
    expect(() => boundedValidator(schema)).toThrow(Error);
    expect(schemaFault(Object.fromEntries(Object.entries(schema)))).toBeTypeOf('string');
  });

  it('M-41 what fits exactly compiles', () => {
    expect(verdict({ enum: Array.from({ length: 9998 }, (_, index) => index) }, 1)).toEqual([]);
    expect(
      verdict(
        nested<Schema>(98, {}, (inner) => ({ allOf: [inner] })),
        1,
      ),
    ).toBeTypeOf('string');
    expect(
      verdict(
        nested<Schema>(49, {}, (inner) => ({ not: inner })),
        1,
      ),
    ).toEqual([' not']);
  });

  it('M-40 one schema can be compiled again and again, with an id too', () => {
    for (let time = 0; time < 3; time += 1)
      expect(verdict({ $id: 'urn:example:one', type: 'number' }, 'a')).toEqual([' type']);
  });

  it('M-40 a check goes over what a loop of references describes once', () => {
    const loop = { allOf: [{ $ref: '#' }, { $ref: '#' }, { anyOf: [{ $ref: '#' }, { $ref: '#' }] }] };
    let places = 0;
    walkConfiguration(loop, { a: { b: 1 } }, () => (places += 1) > 0);
    expect(places).toBe(3);
  });

  it('M-40 a check that finds tens of thousands of errors in choices says some of them', () => {
    const schema = { items: { anyOf: [{ type: 'string' }, { type: 'boolean' }, { minimum: 5 }] } };
    const problems = schemaProblems(
      schema,
      Array.from({ length: 5000 }, () => 1),
    );
    expect(problems.length).toBeGreaterThan(10);
    expect(problems.length).toBeLessThanOrEqual(200);
  });
});

describe('M-42 patterns of a schema mean what they mean in ECMAScript', () => {
  const texts = [
    '',
    'a',
    'ab',
    'é',
    'A-1',
    'a\u00a0b',
    'a b',
    '日本',
    '🎉',
    'a.b',
    'a/b',
    '\u2028',
    '2024-01-31',
    'x_y',
    '\\',
    'tab\t',
  ];
  it.each([
    '^[a-z]+$',
    '\\u00e9',
    '[\\u3040-\\u9fff]',
    '\\u{1f389}',
    '\\ud83c\\udf89',
    '^\\S+$',
    '\\s',
    '[\\s.]',
    '^.$',
    '^[^.]*$',
    'a\\/b',
    'a\\.b',
    '^\\d{4}-(0[1-9]|1[0-2])-\\d{2}$',
    '^(?<year>\\d+)-',
    '\\p{L}',
    '^\\w+$',
    '[\\w-]',
    '\\\\',
    '\\t',
    '\\x41',
    '^$',
    '\\bab\\b',
    '^(?:a|b)?$',
  ])('M-42 %s', (source) => {
    const host = texts.filter((text) => new RegExp(source, 'u').test(text));
    expect(texts.filter((text) => ecmaPattern(source).find(text) !== undefined)).toEqual(host);
  });
});

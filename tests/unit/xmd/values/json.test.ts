import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { canonicalJson } from '../../../../controllers/xmd/values/canonical-json.ts';
import type { JsonValue } from '../../../../controllers/xmd/values/json.ts';
import { readStrictJson } from '../../../../controllers/xmd/values/strict-json.ts';

const jsonText = fc.json({ maxDepth: 4 });

function parsed(text: string): JsonValue {
  const value: JsonValue = JSON.parse(text);
  return value;
}

it('E6 orders members by name at every level, and keeps lists as they are', () => {
  expect(canonicalJson({ b: [2, 1, { d: null, c: 'é' }], a: { z: true, '': 1.5 } })).toBe(
    '{"a":{"":1.5,"z":true},"b":[2,1,{"c":"é","d":null}]}',
  );
  expect(canonicalJson([])).toBe('[]');
  expect(canonicalJson({})).toBe('{}');
});

it('E6 writes JSON that reads as the same value, whatever the order of members was', () => {
  fc.assert(
    fc.property(jsonText, (text) => {
      const value = parsed(text);
      const canonical = canonicalJson(value);
      expect(canonicalJson(parsed(canonical))).toBe(canonical);
      expect(JSON.stringify(JSON.parse(canonical))).toHaveLength(JSON.stringify(value).length);
    }),
  );
});

it('E6 writes a value of a hundred thousand levels', () => {
  let value: JsonValue = 1;
  for (let depth = 0; depth < 100_000; depth += 1) {
    value = depth % 2 === 0 ? [value] : { a: value };
  }

  expect(canonicalJson(value)).toHaveLength(50_000 * 2 + 50_000 * 6 + 1);
});

it('F-23 reads what JSON.parse reads', () => {
  fc.assert(
    fc.property(jsonText, (text) => {
      const read = readStrictJson(` ${text} }`, 0);
      const strict = read !== undefined;
      fc.pre(strict);
      expect(read?.value).toEqual(parsed(text));
      expect(read?.end).toBe(text.length + 2);
    }),
  );
});

it.each([
  '',
  '-',
  '+1',
  '.5',
  '1.',
  '0x1',
  'True',
  'nul',
  '"',
  '"\n"',
  '"\\x"',
  '"\\u12"',
  '[',
  '[1 2]',
  '[,]',
  '{a:1}',
])('F-24 does not read %j', (text) => {
  expect(readStrictJson(text, 0)).toSatisfy((read) => read === undefined || hasRest(read, text));
});

function hasRest(read: { readonly end: number }, text: string): boolean {
  return read.end < text.length;
}

it.each(['{"a":1,"a":1}', '{"a":{"b":1,"\\u0062":2}}', '1e400', '-9007199254740992', '"\\udc00"', '{"\\ud800":1}'])(
  'F-24 does not read %s, which would not keep its meaning',
  (text) => {
    expect(readStrictJson(text, 0)).toBeUndefined();
    expect(JSON.parse(text)).toBeDefined();
  },
);

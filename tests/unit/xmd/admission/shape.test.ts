import { describe, expect, it } from 'vitest';
import {
  hasExactly,
  isJsonValue,
  isMembers,
  isSameJson,
  readCount,
  readEach,
} from '../../../../controllers/xmd/admission/shape.ts';
import type { JsonValue } from '../../../../controllers/xmd/values/json.ts';

/** `[[…]]` or `{"a":{"a":…}}`, that deep. */
function nested(depth: number, wrap: (inner: unknown) => unknown): unknown {
  let value: unknown = 'x';
  for (let level = 0; level < depth; level += 1) value = wrap(value);
  return value;
}

describe('the shape of what is on record', () => {
  it('A-10 plain JSON is read, and nothing else', () => {
    for (const value of [null, 'x', '', true, false, 0, -1.5, [], {}, [1, { a: [null] }]]) {
      expect([value, isJsonValue(value)]).toEqual([value, true]);
      expect(isJsonValue([value, { a: value }])).toBe(true);
    }
    for (const value of [undefined, Number.NaN, Infinity, 1n, Symbol('x'), () => 1]) {
      expect(isJsonValue(value)).toBe(false);
      expect(isJsonValue(['x', value])).toBe(false);
      expect(isJsonValue({ a: 'x', b: value })).toBe(false);
    }
  });

  it.each([
    ['lists', (inner: unknown) => [inner]],
    ['objects', (inner: unknown) => ({ a: inner })],
  ])('A-10 %s may be nested a thousand deep, and one more is unreadable', (_, wrap) => {
    expect(isJsonValue(nested(1000, wrap))).toBe(true);
    expect(isJsonValue(nested(1001, wrap))).toBe(false);
    expect(isJsonValue(nested(100_000, wrap))).toBe(false);
  });

  it('A-10 a count is a whole number that is exact', () => {
    expect([0, 1, Number.MAX_SAFE_INTEGER].map((value) => readCount(value, 0))).toEqual([
      0,
      1,
      Number.MAX_SAFE_INTEGER,
    ]);
    expect([readCount(1, 1), readCount(0, 1), readCount(-1, -1)]).toEqual([1, undefined, -1]);
    for (const value of [-1, 0.5, 2 ** 53, Number.NaN, Infinity, '1', null, undefined, true, 1n, [1]]) {
      expect(readCount(value, 0)).toBeUndefined();
    }
  });

  it('A-10 members are those of an object of its own, each of them', () => {
    expect([{}, { a: 1 }].map((value) => isMembers(value))).toEqual([true, true]);
    expect([null, undefined, [], 'a', 1, () => 1].some((value) => isMembers(value))).toBe(false);
    expect(hasExactly({ a: 1, b: 2 }, ['b', 'a'])).toBe(true);
    for (const value of [{}, { a: 1 }, { a: 1, c: 1 }, { a: 1, b: 2, c: 3 }, Object.create({ a: 1, b: 2 })]) {
      expect(hasExactly(value, ['a', 'b'])).toBe(false);
    }
    expect(hasExactly({ a: 1 }, ['toString'])).toBe(false);
  });

  it('A-10 a list is read whole, or not at all', () => {
    const even = (item: unknown): number | undefined => (typeof item === 'number' && item % 2 === 0 ? item : undefined);
    expect([readEach([], even), readEach([0, 2], even)]).toEqual([[], [0, 2]]);
    for (const value of [[0, 1], [1], {}, 'x', null, { length: 0 }]) expect(readEach(value, even)).toBeUndefined();
  });

  it('A-30 the same JSON is the same in any order of members, and never what is no JSON', () => {
    expect(isSameJson({ a: 1, b: [1, 2] }, { b: [1, 2], a: 1 })).toBe(true);
    expect(isSameJson({ a: 1, b: [2, 1] }, { b: [1, 2], a: 1 })).toBe(false);
    expect([isSameJson(undefined, undefined), isSameJson(undefined, null), isSameJson(null, undefined)]).toEqual([
      false,
      false,
      false,
    ]);
    expect(isSameJson({ a: undefined }, {})).toBe(false);
    expect(isSameJson(null, null)).toBe(true);
  });
});

it('A-30 a number that JSON has not is not the null that it would be written as', () => {
  expect([isSameJson(Number.NaN, null), isSameJson(null, null)]).toEqual([false, true]);
});

it.each([
  ['a longer list', [1], [1, 2]],
  ['a further member', { a: 1 }, { a: 1, b: 2 }],
  ['a list with the members of an object', { 0: 1 }, [1]],
  ['a list without any', {}, []],
  ['another name', { a: 1 }, { b: 1 }],
  // Without a member of its own, an object would lend the one that every object has.
  ['the member that every object has', JSON.parse('{"__proto__":{}}'), { a: 1 }],
])('A-30 %s is not the same JSON, whichever of the two is on record', (_, one: JsonValue, other: JsonValue) => {
  expect([isSameJson(one, other), isSameJson(other, one)]).toEqual([false, false]);
  expect([isSameJson(one, structuredClone(one)), isSameJson(other, structuredClone(other))]).toEqual([true, true]);
});

import {
  assertFaithful,
  assertJournalable,
  bigIntAt,
  decodeJsonValue,
  encodeJsonValue,
  integerInput,
  parseDurationMs,
  Stream,
  tryParseDurationMs,
} from '@telorun/sdk';
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { MemoryRun } from '../../support/memory-handle.ts';

const at = { run: 'r', path: 'steps/a' };

function throughText(value: unknown): unknown {
  return decodeJsonValue(JSON.parse(JSON.stringify(encodeJsonValue(value))) as unknown);
}

async function* nothing(): AsyncGenerator<never> {}

class Opaque {
  readonly inner = 1;
}

function cycle(): unknown {
  const value: Record<string, unknown> = {};
  value['self'] = { again: value };
  return value;
}

function deep(levels: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < levels; level += 1) value = [value];
  return value;
}

it('S6 D-40 keeps integers as integers, and what already looks tagged as it is', () => {
  const value = {
    n: 9_007_199_254_740_993n,
    list: [0n, -5n, 1.5],
    tagged: { $bigint: '12' },
    twice: { $$bigint: { $bigint: 3 } },
    other: { $bigint: '1', more: true },
  };

  expect(throughText(value)).toEqual(value);
  expect(encodeJsonValue(1n)).toEqual({ $bigint: '1' });
});

it('S6 D-40 is invertible for every value of JSON and BigInt', () => {
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      fc.constant(null),
      fc.boolean(),
      fc.integer(),
      fc.bigInt(),
      fc.string(),
      fc.array(tie('value')),
      fc.dictionary(fc.oneof(fc.string(), fc.constantFrom('$bigint', '$$bigint', '__proto__')), tie('value')),
    ),
  }));

  fc.assert(
    fc.property(value, (original) => {
      expect(throughText(original)).toEqual(original);
      assertFaithful(original, at);
    }),
  );
});

it('S6 D-40 answers containers without an integer uncopied', () => {
  const value = { a: [{ b: 'c' }] };

  expect(encodeJsonValue(value)).toBe(value);
  expect(decodeJsonValue(value)).toBe(value);
});

it.each<[string, unknown, string, string]>([
  ['a stream', { a: [new Stream(nothing())] }, '.a[0]', 'Stream'],
  ['a cycle', cycle(), '.self.again', 'cycle'],
  [
    'a toJSON that throws',
    {
      x: {
        toJSON: () => {
          throw new Error('no');
        },
      },
    },
    '.x',
    'Object (toJSON: no)',
  ],
])('S6 D-41 refuses %s, and says where', (_name, value, where, valueType) => {
  expect(() => assertJournalable(value, at)).toThrow(
    expect.objectContaining({
      code: 'ERR_DURABLE_UNJOURNALABLE_VALUE',
      data: expect.objectContaining({ ...at, valueType, at: where }),
    }),
  );
});

it.each<[string, unknown, string, string]>([
  ['a function', { a: () => 1 }, '.a', 'function'],
  ['a symbol', [Symbol('x')], '[0]', 'symbol'],
  ['NaN', { 'odd key': [1, Number.NaN] }, '["odd key"][1]', 'NaN'],
  ['infinity', -Infinity, '', '-Infinity'],
  ['a Map', new Map(), '', 'Map'],
  ['a Set', { s: new Set() }, '.s', 'Set'],
  ['bytes', new Uint8Array(1), '', 'Uint8Array'],
  ['an instance of a class', { o: new Opaque() }, '.o', 'Opaque'],
  ['an error', [new Error('x')], '[0]', 'Error'],
  ['undefined in an array', [1, undefined], '[1]', 'undefined'],
  ['a date that is none', new Date(Number.NaN), '', 'Date'],
  ['a stream', new Stream(nothing()), '', 'Stream'],
  ['what toJSON answers', { toJSON: () => ({ f: new Map() }) }, '.f', 'Map'],
  ['nesting without end', deep(1_001), '[0]'.repeat(1_000), 'nesting deeper than 1000'],
])('S6 D-42 refuses %s with the run, the path and the place', (_name, value, where, valueType) => {
  expect(() => assertFaithful(value, at)).toThrow(
    expect.objectContaining({
      code: 'ERR_DURABLE_UNJOURNALABLE_VALUE',
      data: expect.objectContaining({ ...at, valueType, at: where }),
    }),
  );
});

it('S6 D-42 accepts plain data, dates, and an absent value', () => {
  const shared = { n: 1 };
  const plain = { text: 'x', n: 1, big: 2n, list: [null, true, shared, shared], when: new Date(0), gone: undefined };

  expect(() => assertFaithful(plain, at)).not.toThrow();
  expect(() => assertFaithful(undefined, at)).not.toThrow();
  expect(() => assertFaithful(deep(1_000), at)).not.toThrow();
  expect(() => assertFaithful(Object.create(null), at)).not.toThrow();
});

it('S6 D-41 lets pass what SDK 0.80 lets pass', () => {
  for (const value of [Number.NaN, new Map(), () => 1, 1n, new Date()])
    expect(() => assertJournalable(value, at)).not.toThrow();
});

it('S6 D-43 answers at first what a replay answers', async () => {
  const run = new MemoryRun();
  const value = { at: new Date(0), n: 3n, gone: undefined };

  const first = await run.open().step('a', undefined, {}, async () => value);
  const again = await run.open().step('a', undefined, {}, async () => 'other');

  expect(first).toEqual({ at: '1970-01-01T00:00:00.000Z', n: 3n });
  expect(again).toEqual(first);
});

it('D-44 reads integers and durations', () => {
  expect(integerInput(5n)).toBe(5);
  expect(integerInput(5)).toBe(5);
  expect(() => integerInput(1.5)).toThrow(expect.objectContaining({ code: 'ERR_INVALID_VALUE' }));
  expect(() => integerInput(2n ** 60n)).toThrow(expect.objectContaining({ code: 'ERR_INVALID_VALUE' }));
  expect(bigIntAt({ a: [1, { b: 2n }] })).toBe('.a[1].b');
  expect(bigIntAt({ a: 1 })).toBeUndefined();
  expect(parseDurationMs(' 1.5m ')).toBe(90_000);
  expect(parseDurationMs(undefined, 7)).toBe(7);
  expect(tryParseDurationMs('2 d')).toBe(172_800_000);
  expect(tryParseDurationMs('1h30m')).toBeNull();
  expect(() => parseDurationMs('5')).toThrow(expect.objectContaining({ code: 'ERR_INVALID_VALUE' }));
});

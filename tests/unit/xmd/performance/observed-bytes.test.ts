import { array, assert, constantFrom, jsonValue, oneof, property, string } from 'fast-check';
import { expect, it } from 'vitest';
import { bytesOf } from '../../../../controllers/xmd/performance/digest.ts';
import { ObservedBytes } from '../../../../controllers/xmd/performance/observed-bytes.ts';

function observed(values: readonly unknown[]): ObservedBytes {
  const bytes = new ObservedBytes();
  for (const value of values) bytes.add(value);
  return bytes;
}

it('EV-37 observations are counted to the byte, whatever their texts are spelled with', () => {
  const value = oneof(string({ unit: 'binary' }), constantFrom('\u0000', '"', '\uD800', 'ä', '😀'), jsonValue());
  assert(
    property(array(value), (values) => {
      const exact = values.map(bytesOf).reduce((sum, bytes) => sum + bytes, 0);
      expect([exact - 1, exact].map((limit) => observed(values).exceed(limit))).toEqual([true, false]);
      // A bound that has decided before changes nothing of what comes later.
      const twice = observed(values);
      expect([twice.exceed(Infinity), twice.exceed(exact), twice.exceed(exact - 1)]).toEqual([false, false, true]);
      twice.add('x');
      expect([twice.exceed(exact + 2), twice.exceed(exact + 3)]).toEqual([true, false]);
    }),
  );
});

it('EV-37 nothing observed comes to nothing', () => {
  expect([observed([]).exceed(0), observed([]).exceed(-1)]).toEqual([false, true]);
});

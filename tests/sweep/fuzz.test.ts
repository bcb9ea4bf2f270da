import { expect, it } from 'vitest';
import { readStrictJson } from '../../controllers/xmd/values/strict-json.ts';
import { fuzz } from '../fuzz/run.ts';

const RUNS: Readonly<Record<string, number>> = {
  fragment: 100_000,
  record: 40_000,
  path: 200_000,
  json: 150_000,
  cel: 40_000,
  manifest: 10_000,
};

it.each(Object.entries(RUNS))('F-04 fuzzing %s at length finds nothing but its coded refusal', async (name, runs) => {
  await expect(fuzz(name, runs)).resolves.toBeUndefined();
});

const MEGABYTE = 1_000_000;
it('F-24 the strict reader stops at its depth, however long the text', () => {
  expect(readStrictJson('['.repeat(4 * MEGABYTE), 0)).toBeUndefined();
});

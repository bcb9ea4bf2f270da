import { expect, it } from 'vitest';
import { readStrictJson } from '../../controllers/xmd/values/strict-json.ts';
import { fuzz } from '../fuzz/run.ts';
import { TARGETS } from '../fuzz/targets.ts';

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
/** For eightfold text: above what collecting memory adds (15 measured), below time that grows with a power of 1.5 (22.6). */
const LINEAR_AT_MOST = 20;
const SHAPES: Readonly<Record<string, readonly [target: string, make: (length: number) => string]>> = {
  'prose with comparisons': ['fragment', (length) => 'a < b `c` {d\n'.repeat(length / 13)],
  'elements on every line': ['fragment', (length) => '<File path="a" />\n'.repeat(length / 18)],
  'fences of growing length': ['fragment', (length) => '~~~\n```\n'.repeat(length / 8)],
  'a JSON list': ['json', (length) => `[${'1,'.repeat(length / 2)}1]`],
  'a JSON text': ['json', (length) => `"${'\\u00e9'.repeat(length / 6)}"`],
  'a record of many effects': [
    'record',
    (length) =>
      `{"outcome":"completed","observations":[],"output":[],"effects":[${'["p","d"],'.repeat(length / 10)}["p","d"]]}`,
  ],
  'a path of many parts': ['path', (length) => 'a/./'.repeat(length / 4)],
  'a CEL text': ['cel', (length) => `size("${'a'.repeat(length)}")`],
};

it.each(Object.entries(SHAPES))('F-04 doubling up to 4 MB about doubles the time: %s', async (_, [name, make]) => {
  const target = TARGETS[name];
  if (target === undefined) throw new TypeError(`There is no target ${name}`);
  const sizes = [0.5, 1, 2, 4].map((megabytes) => make(megabytes * MEGABYTE));
  // The least time of each size: what a machine that does other work adds is never taken away.
  const least = sizes.map(() => Infinity);
  let growth = Infinity;
  for (let round = 0; round < 8 && growth > LINEAR_AT_MOST; round += 1) {
    for (const [index, text] of sizes.entries()) {
      const start = performance.now();
      await target(text);
      least[index] = Math.min(least[index] ?? Infinity, performance.now() - start);
    }
    // Eightfold text: eightfold time, and what collecting more memory adds.
    growth = Math.max(least.at(-1) ?? 0, 16) / Math.max(least[0] ?? 0, 2);
  }
  expect(growth).toBeLessThanOrEqual(LINEAR_AT_MOST);
});

it('F-24 the strict reader stops at its depth, however long the text', () => {
  expect(readStrictJson('['.repeat(4 * MEGABYTE), 0)).toBeUndefined();
});

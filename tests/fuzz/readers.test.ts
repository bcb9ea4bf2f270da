import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { INPUTS } from './inputs.ts';
import { fuzz } from './run.ts';
import { SEEDS } from './seeds.ts';
import { TARGETS } from './targets.ts';

const RUNS: Readonly<Record<string, number>> = {
  fragment: 5000,
  record: 3000,
  path: 10_000,
  json: 10_000,
  cel: 3000,
  manifest: 500,
};

const DEEP = `${'['.repeat(50_000)}${']'.repeat(50_000)}`;
const POLICY =
  '{"version":2,"allow":["read"],"allowed":[],"requests":[],"addresses":[],"paths":{},"limits":{},"root":"."}';
const ADMITTED = `{"version":2,"reader":1,"decision":"admitted","occurrence":0,"text":"","policy":${POLICY},"named":[]}`;

describe('readers of hostile input', () => {
  it.each(Object.entries(RUNS))('F-04 fuzzing %s finds nothing but its coded refusal', async (name, runs) => {
    await expect(fuzz(name, runs)).resolves.toBeUndefined();
  });

  it.each(Object.entries(SEEDS))('F-04 what mutation of %s begins with keeps the promise', async (name, seeds) => {
    const work = async (): Promise<void> => {
      for (const seed of seeds) await TARGETS[name]?.(seed);
    };
    await expect(work()).resolves.toBeUndefined();
  });

  it('F-04 a seed makes the same inputs again', () => {
    const [inputs] = Object.values(INPUTS);
    if (inputs === undefined) throw new Error('There are no inputs');
    expect(fc.sample(inputs, { seed: 7, numRuns: 20 })).toEqual(fc.sample(inputs, { seed: 7, numRuns: 20 }));
  });

  it.each([
    ['fragment', '<'.repeat(100_000)],
    ['fragment', '<A>'.repeat(50_000)],
    ['fragment', '{'.repeat(100_000)],
    ['record', JSON.stringify({ outcome: 'failed', effect: 'p', code: 'c', message: 'm', data: 0 }).replace('0', DEEP)],
    ['record', ADMITTED.replace('["read"]', DEEP)],
    ['record', ADMITTED.replace('[]', DEEP)],
    ['json', '['.repeat(100_000)],
    ['path', 'a/'.repeat(100_000)],
    ['manifest', '['.repeat(20_000)],
    ['manifest', 'a: {'.repeat(5000)],
    ['cel', '('.repeat(100_000)],
    ['cel', '-'.repeat(100_000)],
    ['cel', 'a.'.repeat(50_000)],
  ])('F-04 %s is not overwhelmed by depth', async (name, input) => {
    const work = async (): Promise<void> => TARGETS[name]?.(input);
    await expect(work()).resolves.toBeUndefined();
  });
});

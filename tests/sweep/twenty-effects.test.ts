import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { forget, pointsOf, report, sweep, undisturbed } from '../support/processes/sweep.ts';
import type { Undisturbed } from '../support/processes/sweep.ts';
import { TWENTY_EFFECTS } from '../support/processes/twenty-effects.ts';

describe('a fragment of twenty effects', () => {
  let whole: Undisturbed;
  beforeAll(async () => {
    whole = await undisturbed(TWENTY_EFFECTS);
  });
  afterAll(() => forget(whole));

  it('R4 comes to the same end wherever it is killed', async () => {
    const points = pointsOf(whole);
    const repeated = await sweep(TWENTY_EFFECTS, whole, points);
    report('twenty effects', points, repeated);
    expect(repeated.filter(({ looked }) => !looked).map(({ again }) => again)).toEqual([
      ['read README.md'],
      ['read data/config.json'],
      ['call record'],
      ['read README.md'],
      ['read out/one.txt'],
      ['call record'],
    ]);
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { REPEATING } from '../support/processes/repeating.ts';
import { forget, pointsOf, report, sweep, undisturbed } from '../support/processes/sweep.ts';
import type { Undisturbed } from '../support/processes/sweep.ts';

describe('a choice, a loop and a projection', () => {
  let whole: Undisturbed;
  beforeAll(async () => {
    whole = await undisturbed(REPEATING);
  });
  afterAll(() => forget(whole));

  it('RK-29 R4 come to the same end wherever they are killed', async () => {
    const points = pointsOf(whole);
    const repeated = await sweep(REPEATING, whole, points);
    report('repeating', points, repeated);
    expect(repeated.map(({ again }) => again)).toEqual([
      ['call poll'],
      ['call poll'],
      ['call poll'],
      ['call look'],
      ['call look'],
    ]);
  });
});

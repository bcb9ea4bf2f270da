import { expect, it } from 'vitest';
import { MADE_BY_CONTENT } from '../support/processes/content.ts';
import { forget, pointsOf, report, sweep, undisturbed } from '../support/processes/sweep.ts';

it('EV-15 a fragment that content makes survives a kill at every point, its producer asked as often as without', async () => {
  const whole = await undisturbed(MADE_BY_CONTENT);
  const points = pointsOf(whole);
  const repeated = await sweep(MADE_BY_CONTENT, whole, points);
  forget(whole);

  report('content', points, repeated);
  expect(points.length).toBeGreaterThan(30);
});

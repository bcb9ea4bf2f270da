import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { releaseNotes } from '../support/processes/release-notes.ts';
import { forget, pointsOf, report, sweep, undisturbed } from '../support/processes/sweep.ts';
import type { Undisturbed } from '../support/processes/sweep.ts';

describe('the release-notes example', () => {
  describe.each(['publish', 'withdraw'] as const)('%s', (decision) => {
    const subject = releaseNotes(decision);
    let whole: Undisturbed;
    beforeAll(async () => {
      whole = await undisturbed(subject);
    });
    afterAll(() => forget(whole));

    it('R4 comes to the same end wherever it is killed', async () => {
      // Until the answer is given both go the same way.
      const points = pointsOf(whole).filter(({ phase }) => decision === 'publish' || phase > 0);
      const repeated = await sweep(subject, whole, points);
      report(`release-notes, ${decision}`, points, repeated);
      expect(repeated.filter(({ looked }) => !looked).map(({ again }) => again)).toEqual(
        decision === 'publish' ? [['read CHANGELOG.md'], ['read package.json'], ['read notes/2.4.0.md']] : [],
      );
    });
  });
});

import { describe, expect, it } from 'vitest';
import type { Outcome } from '../../../../controllers/xmd/performance/outcome.ts';
import { readOutcome } from '../../../../controllers/xmd/performance/read-outcome.ts';

const COMPLETED: Outcome = {
  outcome: 'completed',
  observations: [{ name: 'File', effect: 0 }],
  output: ['a', 0],
  effects: [['xmd[0]/File', 'digest']],
};
const FAILED: Outcome = { outcome: 'failed', effect: 'steps/a/xmd[0]/File', code: 'ERR_X', message: 'm', data: null };

describe('readOutcome', () => {
  it('A-20 reads both shapes back', () => {
    expect(readOutcome(JSON.parse(JSON.stringify(COMPLETED)), 'p')).toEqual(COMPLETED);
    expect(readOutcome(JSON.parse(JSON.stringify(FAILED)), 'p')).toEqual(FAILED);
  });

  it.each([COMPLETED, FAILED].flatMap((outcome) => Object.keys(outcome).map((member) => ({ outcome, member }))))(
    'A-20 $outcome.outcome without $member is unreadable, and so is it with one member more',
    ({ outcome, member }) => {
      const unreadable = expect.objectContaining({ code: 'ERR_XMD_RECORD_UNREADABLE' });
      const rest = Object.fromEntries(Object.entries(outcome).filter(([name]) => name !== member));
      expect(() => readOutcome(rest, 'p')).toThrow(unreadable);
      expect(() => readOutcome({ ...outcome, more: 1 }, 'p')).toThrow(unreadable);
    },
  );
});

import type { WaitRecord } from '@telorun/sdk/journal';
import { expect, it } from 'vitest';
import { reasonOf } from '../../../../kernel/cli/reason.ts';

const WAIT: WaitRecord = { run: 'r', path: 'steps/pause', resource: 'nap', state: 'open', since: 0, at: 60_000 };
const parked = (wait: WaitRecord, now: number): string => reasonOf({ run: 'r', status: 'parked' }, [wait], now);

it('CL-14 a wait whose time has come is told as over, one second before as going on', () => {
  expect(parked(WAIT, 59_000)).toContain('waits at steps/pause until 1970-01-01T00:01:00Z');
  const over = 'until 1970-01-01T00:01:00Z (nap); it continues when it is resumed.';
  expect(parked(WAIT, 60_000)).toBe(`It waited at steps/pause ${over}`);
  expect(parked({ ...WAIT, token: 't' }, 60_000)).toBe(`No answer came at steps/pause ${over}`);
  expect(parked({ ...WAIT, token: 't' }, 59_000)).toContain('for an answer (nap)');
});

import type { Digests } from './chain.ts';
import { isTerminal } from './claims.ts';
import type { SqlRow } from './driver.ts';
import { UnreadableRecord } from './errors.ts';
import { integerOrNull, textOf, textOrNull } from './values.ts';

/**
 * The seal of a row of `runs`: over its name, program and inputs, whether it is settled, and how it ended. Pure. What
 * changes while a run lives (fence, claim, due time, problem, which open status) is not in it.
 */
export function runSeal(digests: Digests, row: SqlRow): string {
  const status = textOf(row, 'status');
  return digests.seal([
    'run',
    textOf(row, 'run'),
    isTerminal(status) ? status : 'open',
    textOrNull(row, 'program'),
    textOrNull(row, 'inputs'),
    textOrNull(row, 'result'),
    textOrNull(row, 'error'),
    integerOrNull(row, 'collapsed_regions'),
    textOrNull(row, 'collapse_reasons'),
  ]);
}

/** Pure. Throws UnreadableRecord unless the row is what was sealed. */
export function assertSealed(digests: Digests, row: SqlRow): void {
  if (!isSealed(digests, row)) throw new UnreadableRecord('a run is not what was recorded', { seq: 0 });
}

/** Pure. */
export function isSealed(digests: Digests, row: SqlRow): boolean {
  return row['seal'] === runSeal(digests, row);
}

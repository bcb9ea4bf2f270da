import type { Digests } from './chain.ts';
import type { SqlRow } from './driver.ts';
import { integerOf, integerOrNull, textOf, textOrNull } from './values.ts';

/** The digest of a row of `waits`: over its run and all that was asked there, not over its state. Pure. */
export function waitDigest(digests: Digests, row: SqlRow, run: string): string {
  return digests.seal([
    'wait',
    run,
    textOf(row, 'path'),
    integerOf(row, 'since'),
    textOf(row, 'resource'),
    integerOrNull(row, 'at'),
    textOrNull(row, 'token'),
    textOrNull(row, 'schema'),
    textOrNull(row, 'request'),
  ]);
}

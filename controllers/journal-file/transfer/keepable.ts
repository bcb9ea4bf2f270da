import type { WholeRun } from '@telorun/sdk/journal';
import { UnreadableRecord } from '../../journal-sqlite/errors.ts';

/** Half a character, or NUL: no store of ours gives a name back that has one. */
const UNKEEPABLE = /[\0\p{Surrogate}]/u;

/** Names and instants that a journal can keep as they are. Pure. Throws UnreadableRecord for others. */
export function assertKeepable({ record, entries, waits }: WholeRun): void {
  assertName(record.run);
  for (const { path } of entries) assertName(path);
  for (const { path, resource, token, at, since } of waits) {
    assertName(path);
    if (UNKEEPABLE.test(resource) || (token !== undefined && UNKEEPABLE.test(token))) throw unkeepableName();
    assertCount(at);
    assertCount(since);
  }
  assertCount(record.dueAt);
  assertCount(record.createdAt);
  assertCount(record.collapsedRegions);
}

function assertName(name: string): void {
  if (name === '' || UNKEEPABLE.test(name)) throw unkeepableName();
}

function assertCount(count: number | undefined): void {
  if (count === undefined || (Number.isSafeInteger(count) && count >= 0)) return;
  throw new UnreadableRecord('an instant or a count in it is no whole number');
}

function unkeepableName(): UnreadableRecord {
  return new UnreadableRecord('a name in it is empty, or no text');
}

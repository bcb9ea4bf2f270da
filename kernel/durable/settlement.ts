import type { FencedJournal, RunError, RunRecord, RunStatus, WaitRecord } from '@telorun/sdk/journal';

/** Where a run stands after an execution, or without one. `problem` says why the last execution settled nothing. */
export interface Settlement {
  readonly run: string;
  readonly status: RunStatus;
  readonly result?: unknown;
  readonly error?: RunError;
  /** Open waits, when the run waits. */
  readonly waits?: readonly WaitRecord[];
  readonly problem?: RunError;
}

/** Whether nothing more happens to a run of this status. Pure. */
export function isTerminal(status: RunStatus): boolean {
  return status === 'completed' || status === 'failed' || status === 'cancelled';
}

/** Whether a run is to be executed now; `now` in epoch milliseconds. Pure. */
export function isDue(record: RunRecord, now: number): boolean {
  if (isTerminal(record.status)) return false;
  return record.status === 'running' || (record.dueAt !== undefined && record.dueAt <= now);
}

/** Effect: reads the open waits of a run that is not over. */
export async function settlementOf(record: RunRecord, journal: FencedJournal): Promise<Settlement> {
  const waits = isTerminal(record.status)
    ? []
    : (await journal.readWaits(record.run)).filter((wait) => wait.state === 'open');
  return {
    run: record.run,
    status: record.status,
    ...('result' in record ? { result: record.result } : {}),
    ...(record.error === undefined ? {} : { error: record.error }),
    ...(waits.length === 0 ? {} : { waits }),
    ...(record.problem === undefined ? {} : { problem: record.problem }),
  };
}

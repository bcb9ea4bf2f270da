import type { FencedJournal } from '@telorun/sdk/journal';
import type { Settlement } from './settlement.ts';

/** A run that this process is executing. */
export interface ActiveRun {
  /** Never rejects for what a body does; see executeRun. */
  readonly done: Promise<Settlement>;
  /** Cancels the body's token. */
  stop(reason: string): void;
}

const active = new WeakMap<FencedJournal, Map<string, ActiveRun>>();

/** The execution of `run` in this process, whichever workflow resource started it. Pure. */
export function activeRun(journal: FencedJournal, run: string): ActiveRun | undefined {
  return active.get(journal)?.get(run);
}

/** Effect: registers an execution; answers how to remove it. */
export function enterRun(journal: FencedJournal, run: string, execution: ActiveRun): () => void {
  const runs = active.get(journal) ?? new Map<string, ActiveRun>();
  active.set(journal, runs);
  runs.set(run, execution);
  return () => {
    if (runs.get(run) === execution) runs.delete(run);
  };
}

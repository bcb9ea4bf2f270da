import { codeOf } from '@telorun/sdk';
import type { RunRecord, RunStatus } from '@telorun/sdk/journal';
import type { Claims } from './claims.ts';
import { isCorrupt } from './errors.ts';
import type { Runs } from './runs.ts';
import type { Store } from './store.ts';

interface Listed {
  readonly record: RunRecord;
  /** Whether somebody executes it at the instant that was asked for. */
  readonly live: boolean;
}

/** All runs of the folder at once. One that is damaged hides no other. */
export class RunList {
  readonly #store: Store;
  readonly #claims: Claims;
  readonly #runs: Runs;

  constructor(store: Store, claims: Claims, runs: Runs) {
    this.#store = store;
    this.#claims = claims;
    this.#runs = runs;
  }

  /** Every run, the newest first. */
  all({ status, limit }: { readonly status?: RunStatus; readonly limit?: number }): readonly RunRecord[] {
    return this.#listed(this.#store.now())
      .map(({ record }) => record)
      .filter((record) => status === undefined || record.status === status)
      .toSorted((one, other) => (other.createdAt ?? 0) - (one.createdAt ?? 0) || compare(other.run, one.run))
      .slice(0, limit);
  }

  /** Runs to be executed at `now`, in epoch milliseconds, that nobody executes; those without an instant first. */
  due(now: number, limit: number): readonly string[] {
    return this.#listed(now)
      .filter(({ record, live }) => !live && isDue(record, now))
      .map(({ record }) => record)
      .toSorted((one, other) => (one.dueAt ?? 0) - (other.dueAt ?? 0) || (one.createdAt ?? 0) - (other.createdAt ?? 0))
      .slice(0, limit)
      .map(({ run }) => run);
  }

  #listed(now: number): readonly Listed[] {
    return this.#store.runs().flatMap((run) => this.#look(run, now));
  }

  /** A file without a first line is no run yet; one that cannot be read is shown with its problem. */
  #look(run: string, now: number): readonly Listed[] {
    try {
      return this.#store.reading(run, (files) => {
        if (!files.known) return [];
        return [{ record: this.#runs.recordOf(files), live: this.#claims.isLive(files.state.claim, now) }];
      });
    } catch (error) {
      if (!isCorrupt(error)) throw error;
      const message = error instanceof Error ? error.message : '';
      return [{ record: { run, status: 'running', problem: { code: codeOf(error) ?? '', message } }, live: false }];
    }
  }
}

function isDue({ status, dueAt }: RunRecord, now: number): boolean {
  if (status === 'running') return true;
  return (status === 'scheduled' || status === 'parked') && dueAt !== undefined && dueAt <= now;
}

function compare(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}

import type {
  AnswerReceipt,
  FencedJournal,
  JournalEntry,
  RunError,
  RunOutcome,
  RunRecord,
  RunStart,
  RunStatus,
  Wait,
  WaitRecord,
  WholeRun,
} from '@telorun/sdk/journal';
import { Adoption } from './adoption.ts';
import { type AnswerSelector, type AnswerValidator, Answers } from './answers.ts';
import type { Digests } from './chain.ts';
import { Claims } from './claims.ts';
import { Entries } from './entries.ts';
import type { ProcessTable } from './owner.ts';
import { Runs, cancellation } from './runs.ts';
import { Store, type StoreOptions } from './store.ts';
import { Trail } from './trail.ts';
import { Waits } from './waits.ts';
import { Wake } from './wake.ts';

export interface SqliteJournalOptions extends StoreOptions {
  readonly processes: ProcessTable;
  readonly digests: Digests;
}

/**
 * A journal in one SQLite file, shared by any number of processes of one machine. What is read of a run is what was
 * recorded, or refused.
 *
 * Durable: every promise that resolves is on disk (write-ahead log, `synchronous=FULL`), one transaction and one flush a
 * call. Each member throws ERR_DURABLE_JOURNAL_LOCKED, _FULL, _READONLY, _CORRUPT or _UNAVAILABLE when the file cannot do
 * what it is asked, and has then changed nothing.
 *
 * @see kernel-specs/journal-store.md
 */
export class SqliteJournal implements FencedJournal {
  readonly files: readonly string[];
  readonly #store: Store;
  readonly #claims: Claims;
  readonly #entries: Entries;
  readonly #waits: Waits;
  readonly #runs: Runs;
  readonly #answers: Answers;
  readonly #wake: Wake;
  readonly #adoption: Adoption;

  constructor(options: SqliteJournalOptions) {
    const store = new Store(options);
    const claims = new Claims(store, options.processes);
    const { digests } = options;
    const trail = new Trail(store, digests);
    const waits = new Waits({ store, claims, digests, trail });
    const entries = new Entries(store, claims, trail);
    // We make no -journal; SQLite would take one that somebody puts there for its own, and roll back to it.
    this.files = ['', '-wal', '-shm', '-journal'].map((end) => `${options.file}${end}`);
    this.#store = store;
    this.#claims = claims;
    this.#waits = waits;
    this.#entries = entries;
    this.#runs = new Runs({ store, claims, waits, trail, digests });
    this.#adoption = new Adoption({ store, trail, digests });
    this.#answers = new Answers({ store, claims, entries, waits });
    this.#wake = new Wake({ dataVersion: () => store.get('PRAGMA data_version')?.['data_version'] });
  }

  async admitRun(run: string, start: RunStart = {}): Promise<{ admitted: boolean; existing?: RunRecord }> {
    return this.#runs.admit(run, start);
  }

  async readRun(run: string): Promise<RunRecord | undefined> {
    return this.#runs.read(run);
  }

  async listRuns(filter: { readonly status?: RunStatus; readonly limit?: number } = {}): Promise<readonly RunRecord[]> {
    return this.#runs.list(filter);
  }

  async dueRuns(now: number, limit: number): Promise<readonly string[]> {
    return this.#runs.due(now, limit);
  }

  async readEntries(run: string): Promise<readonly JournalEntry[]> {
    return this.#entries.read(run);
  }

  async append(run: string, entry: JournalEntry): Promise<JournalEntry> {
    return this.#entries.append(run, entry);
  }

  async claimRun(run: string, holder: string, ttlMs: number): Promise<boolean> {
    return this.#store.writing(run, () => this.#claims.claim(run, holder, ttlMs));
  }

  async renewClaim(run: string): Promise<boolean> {
    return this.#store.writing(run, () => this.#claims.renew(run));
  }

  checkClaim(run: string): void {
    this.#claims.check(run);
  }

  async releaseRun(run: string, problem?: RunError): Promise<void> {
    this.#runs.release(run, problem);
  }

  async completeRun(run: string, outcome: RunOutcome): Promise<void> {
    // Telo's Cancel settles a run that it does not execute; whoever executes it must lose it.
    if (outcome.status === 'cancelled') this.#runs.cancel(run, outcome.error ?? cancellation(undefined));
    else this.#runs.complete(run, outcome);
  }

  async cancelRun(run: string, reason?: string): Promise<boolean> {
    return this.#runs.cancel(run, cancellation(reason));
  }

  async recordWait(run: string, wait: Wait): Promise<WaitRecord> {
    return this.#waits.record(run, wait);
  }

  async closeWait(run: string, path: string): Promise<'closed' | 'answered'> {
    return this.#waits.close(run, path);
  }

  async readWaits(run: string): Promise<readonly WaitRecord[]> {
    return this.#waits.read(run);
  }

  async parkRun(run: string, wait: Wait): Promise<void> {
    this.#runs.park(run, wait);
  }

  async suspendRun(run: string): Promise<RunRecord> {
    return this.#runs.suspend(run);
  }

  async unparkRun(run: string): Promise<void> {
    this.#runs.unpark(run);
    this.#wake.notify();
  }

  async runParkedOn(token: string): Promise<string | undefined> {
    return this.#answers.runUnder(token);
  }

  async answer(selector: AnswerSelector, payload: unknown, validate?: AnswerValidator): Promise<AnswerReceipt> {
    const receipt = this.#answers.give(selector, payload, validate);
    if (receipt.delivered) this.#wake.notify();
    return receipt;
  }

  async adoptRun(whole: WholeRun): Promise<boolean> {
    return this.#adoption.adopt(whole);
  }

  /** A step's own records never commit inside a zone of somebody else's transaction. Pure. */
  writesInside(): boolean {
    return false;
  }

  onWake(handler: () => void): () => void {
    return this.#wake.listen(handler);
  }

  close(): void {
    this.#wake.stop();
    this.#store.close();
  }
}

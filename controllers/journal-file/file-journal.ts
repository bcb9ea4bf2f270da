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
import { Wake } from '../journal-sqlite/wake.ts';
import { adopt } from './adopt.ts';
import { type AnswerSelector, type AnswerValidator, Answers } from './answers.ts';
import { Claims } from './claims.ts';
import { Entries } from './entries.ts';
import { RunList } from './run-list.ts';
import { Runs, cancellation } from './runs.ts';
import { Store, type StoreOptions } from './store.ts';
import { closeWait, recordWait, waitRecord } from './waits.ts';

/**
 * A journal of one file a run in Telo's format, in a folder that several processes of this kernel share; what that
 * format has no place for is in a second folder beside it.
 *
 * Durable: every promise that resolves is on disk. Each member throws ERR_DURABLE_JOURNAL_LOCKED, _FULL, _READONLY,
 * _CORRUPT or _UNAVAILABLE when the files cannot do what they are asked, and has then changed nothing.
 *
 * @see kernel-specs/journal-file.md
 */
export class FileJournal implements FencedJournal {
  readonly files: readonly string[];
  readonly #store: Store;
  readonly #claims: Claims;
  readonly #runs: Runs;
  readonly #list: RunList;
  readonly #entries: Entries;
  readonly #answers: Answers;
  readonly #wake: Wake;

  constructor(options: StoreOptions) {
    const store = new Store(options);
    const claims = new Claims(store);
    const runs = new Runs(store, claims);
    const entries = new Entries(store, claims, runs);
    this.files = [store.folders.runs, store.folders.own];
    this.#store = store;
    this.#claims = claims;
    this.#runs = runs;
    this.#list = new RunList(store, claims, runs);
    this.#entries = entries;
    this.#answers = new Answers(store, entries);
    this.#wake = new Wake({ dataVersion: () => store.version() });
  }

  async admitRun(run: string, start: RunStart = {}): Promise<{ admitted: boolean; existing?: RunRecord }> {
    return this.#runs.admit(run, start);
  }

  async readRun(run: string): Promise<RunRecord | undefined> {
    return this.#runs.read(run);
  }

  async listRuns(filter: { readonly status?: RunStatus; readonly limit?: number } = {}): Promise<readonly RunRecord[]> {
    return this.#list.all(filter);
  }

  async dueRuns(now: number, limit: number): Promise<readonly string[]> {
    return this.#list.due(now, limit);
  }

  async readEntries(run: string): Promise<readonly JournalEntry[]> {
    return this.#entries.read(run);
  }

  async append(run: string, entry: JournalEntry): Promise<JournalEntry> {
    return this.#entries.append(run, entry);
  }

  async claimRun(run: string, holder: string, ttlMs: number): Promise<boolean> {
    return this.#store.writing(run, (files) => this.#claims.claim(files, holder, ttlMs));
  }

  async renewClaim(run: string): Promise<boolean> {
    return this.#store.writing(run, (files) => this.#claims.renew(files));
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
    const now = this.#store.now();
    return this.#store.writing(run, (files) => {
      const { fence } = this.#claims.mustHold(files);
      return waitRecord(run, recordWait(files, wait, { fence, now }), now);
    });
  }

  async closeWait(run: string, path: string): Promise<'closed' | 'answered'> {
    return this.#store.writing(run, (files) => {
      this.#claims.mustHold(files);
      closeWait(files, path);
      return files.state.wait(path)?.state === 'answered' ? 'answered' : 'closed';
    });
  }

  async readWaits(run: string): Promise<readonly WaitRecord[]> {
    return this.#store.reading(run, ({ state }) =>
      state.waits().map((wait) => waitRecord(run, wait, this.#store.now())),
    );
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
    return this.#answers.underToken(token).find(({ wait }) => wait.state === 'open')?.record.run;
  }

  async answer(selector: AnswerSelector, payload: unknown, validate?: AnswerValidator): Promise<AnswerReceipt> {
    const receipt = this.#answers.give(selector, payload, validate);
    if (receipt.delivered) this.#wake.notify();
    return receipt;
  }

  async adoptRun(whole: WholeRun): Promise<boolean> {
    return adopt(this.#store, whole);
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

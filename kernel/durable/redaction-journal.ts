import type { ZoneEntry } from '@telorun/sdk';
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
} from '@telorun/sdk/journal';
import type { Redaction } from './redaction.ts';
import { secretValue } from './redaction.ts';

type Selector = Parameters<FencedJournal['answer']>[0];
type Validator = Parameters<FencedJournal['answer']>[2];

const guarded = new WeakMap<FencedJournal, FencedJournal>();

/**
 * The journal as an application with secrets may use it: one for each journal; the journal itself where there are no
 * secrets. Pure.
 */
export function withoutSecrets(journal: FencedJournal, redaction: Redaction): FencedJournal {
  if (redaction.isEmpty) return journal;
  const known = guarded.get(journal) ?? new GuardedJournal(journal, redaction);
  guarded.set(journal, known);
  return known;
}

/**
 * Refuses values that hold a secret before they are written, and replaces secrets in errors. A value is refused and not
 * replaced: a replay would answer something else than the first execution did.
 *
 * @see kernel-specs/secrets.md SC-31
 */
class GuardedJournal implements FencedJournal {
  readonly #journal: FencedJournal;
  readonly #redaction: Redaction;

  constructor(journal: FencedJournal, redaction: Redaction) {
    this.#journal = journal;
    this.#redaction = redaction;
  }

  get files(): readonly string[] {
    return this.#journal.files;
  }

  async admitRun(run: string, start?: RunStart): Promise<{ admitted: boolean; existing?: RunRecord }> {
    // The id itself must not be told on.
    if (this.#redaction.holds(run)) throw secretValue({ run: this.#redaction.text(run), path: 'run' });
    this.#redaction.assertNone(start, { run, path: 'inputs' });
    return this.#journal.admitRun(run, start);
  }

  async append(run: string, entry: JournalEntry): Promise<JournalEntry> {
    if (this.#redaction.holds(entry)) {
      throw secretValue({ run, path: this.#redaction.text(entry.path) }, entry.kind === 'step');
    }
    return this.#journal.append(run, entry);
  }

  async completeRun(run: string, outcome: RunOutcome): Promise<void> {
    const { result, error, ...rest } = outcome;
    if (this.#redaction.holds(result)) {
      const { code, message, data } = secretValue({ run, path: 'result' });
      return this.#journal.completeRun(run, { status: 'failed', error: { code, message, data } });
    }
    return this.#journal.completeRun(run, {
      ...rest,
      ...(result === undefined ? {} : { result }),
      ...(error === undefined ? {} : { error: this.#redaction.error(error) }),
    });
  }

  async parkRun(run: string, wait: Wait): Promise<void> {
    this.#assertWait(run, wait);
    return this.#journal.parkRun(run, wait);
  }

  async recordWait(run: string, wait: Wait): Promise<WaitRecord> {
    this.#assertWait(run, wait);
    return this.#journal.recordWait(run, wait);
  }

  async answer(selector: Selector, payload: unknown, validate?: Validator): Promise<AnswerReceipt> {
    const run = 'run' in selector ? selector.run : ((await this.#journal.runParkedOn(selector.token)) ?? 'unknown');
    this.#redaction.assertNone(payload, { run, path: ('path' in selector ? selector.path : undefined) ?? 'answer' });
    return this.#journal.answer(selector, payload, validate);
  }

  async releaseRun(run: string, problem?: RunError): Promise<void> {
    return this.#journal.releaseRun(run, problem === undefined ? undefined : this.#redaction.error(problem));
  }

  async cancelRun(run: string, reason?: string): Promise<boolean> {
    return this.#journal.cancelRun(run, reason === undefined ? undefined : this.#redaction.text(reason));
  }

  async readRun(run: string): Promise<RunRecord | undefined> {
    return this.#journal.readRun(run);
  }

  async readEntries(run: string): Promise<readonly JournalEntry[]> {
    return this.#journal.readEntries(run);
  }

  async readWaits(run: string): Promise<readonly WaitRecord[]> {
    return this.#journal.readWaits(run);
  }

  async listRuns(filter?: { readonly status?: RunStatus; readonly limit?: number }): Promise<readonly RunRecord[]> {
    return this.#journal.listRuns(filter);
  }

  async unparkRun(run: string): Promise<void> {
    return this.#journal.unparkRun(run);
  }

  async runParkedOn(token: string): Promise<string | undefined> {
    return this.#journal.runParkedOn(token);
  }

  async dueRuns(now: number, limit: number): Promise<readonly string[]> {
    return this.#journal.dueRuns(now, limit);
  }

  async claimRun(run: string, holder: string, ttlMs: number): Promise<boolean> {
    return this.#journal.claimRun(run, holder, ttlMs);
  }

  async renewClaim(run: string): Promise<boolean> {
    return this.#journal.renewClaim(run);
  }

  checkClaim(run: string): void {
    this.#journal.checkClaim(run);
  }

  async closeWait(run: string, path: string): Promise<'closed' | 'answered'> {
    return this.#journal.closeWait(run, path);
  }

  async suspendRun(run: string): Promise<RunRecord> {
    return this.#journal.suspendRun(run);
  }

  writesInside(zone: ZoneEntry): boolean {
    return this.#journal.writesInside?.(zone) ?? false;
  }

  onWake(handler: () => void): () => void {
    return this.#journal.onWake?.(handler) ?? (() => undefined);
  }

  close(): void {
    this.#journal.close();
  }

  #assertWait(run: string, wait: Wait): void {
    if (this.#redaction.holds(wait)) throw secretValue({ run, path: this.#redaction.text(wait.path) });
  }
}

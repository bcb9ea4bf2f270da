import { assertFaithful, codeOf, DurableSuspension, InvokeError, isRunLost, passesUncaught } from '@telorun/sdk';
import type {
  CancellationToken,
  DecisionKind,
  DurableRunHandle,
  DurableTarget,
  ParkPlace,
  ParkUntil,
  ZoneEntry,
  ZoneModeInfo,
} from '@telorun/sdk';
import type { FencedJournal, JournalEntry, RunError, Wait } from '@telorun/sdk/journal';
import type { KernelListener } from '../events.ts';
import { decisionAsync, pathBusy, toRunError } from './errors.ts';
import type { Redaction } from './redaction.ts';
import { entryMismatch, sameTarget, storedTarget } from './target.ts';
import { Turn } from './turn.ts';
import type { WaitingRunHandle } from './waiting.ts';

export interface RunHandleOptions {
  readonly run: string;
  readonly journal: FencedJournal;
  /** Cancelled when the body must stop; checked before anything new starts. */
  readonly cancellation: CancellationToken;
  readonly emit: KernelListener;
  /** Told once, when this execution may do nothing more for the run. */
  readonly onDead?: (error: unknown) => void;
  /** Keeps secrets out of what is told of a failed effect. */
  readonly redaction?: Redaction;
}

/**
 * One execution of a run over a journal. What the journal held at the start answers from memory; everything else is
 * performed under the claim and is on record before its caller continues.
 *
 * @see docs/adr/0011-run-handle-over-a-journal.md
 */
export class JournaledRunHandle implements DurableRunHandle, WaitingRunHandle {
  readonly runId: string;
  readonly #options: RunHandleOptions;
  readonly #journal: FencedJournal;
  readonly #entries: Map<string, JournalEntry>;
  /** Steps and decisions that are under way, with the number of this entry into them. */
  readonly #pending = new Map<string, number>();
  readonly #parked: string[] = [];
  #begun = 0;
  readonly #zoneModes = new Set<string>();
  readonly #collapseReasons = new Set<string>();
  readonly #turn = new Turn();
  #fatal: { readonly error: unknown } | undefined;

  /** Effect: reads the run's entries, once. */
  static async open(options: RunHandleOptions): Promise<JournaledRunHandle> {
    return new JournaledRunHandle(options, await options.journal.readEntries(options.run));
  }

  private constructor(options: RunHandleOptions, entries: readonly JournalEntry[]) {
    this.runId = options.run;
    this.#options = options;
    this.#journal = options.journal;
    this.#entries = new Map();
    for (const entry of entries) this.#entries.set(entry.path, entry);
  }

  /** Entries known to this execution. */
  get size(): number {
    return this.#entries.size;
  }

  /** The error after which nothing more may be done for the run; undefined while it is well. */
  get fatal(): unknown {
    return this.#fatal?.error;
  }

  get dead(): boolean {
    return this.#fatal !== undefined;
  }

  /** Why regions were journaled as a whole, each reason once. */
  get collapseReasons(): readonly string[] {
    return [...this.#collapseReasons];
  }

  /** Ends this execution: every later step, decision and park throws `error`. The first error stays. */
  end(error: unknown): void {
    if (this.#fatal !== undefined) return;
    this.#fatal = { error };
    this.#options.onDead?.(error);
  }

  confirmClaim(): void {
    this.#assertAlive();
    this.#checkClaim();
  }

  entryOf(path: string): number | undefined {
    return this.#pending.get(path);
  }

  parkedBelow(path: string): boolean {
    return this.#parked.some((parked) => parked === path || parked.startsWith(`${path}/`));
  }

  recorded(path: string): boolean {
    return this.#entries.has(path);
  }

  async step(
    path: string,
    target: DurableTarget | undefined,
    inputs: unknown,
    execute: () => Promise<unknown>,
  ): Promise<unknown> {
    this.#assertAlive();
    const known = this.#entries.get(path);
    if (known !== undefined) return this.#replay(known, target, inputs);
    this.#claimPath(path);
    try {
      if (this.#turn.due) await this.#letIn();
      this.#checkClaim();
      this.#options.emit({
        type: 'effect.begun',
        run: this.runId,
        path,
        ...(target === undefined ? {} : { target: `${target.kind}/${target.name}` }),
        inputs,
      });
      let value: unknown;
      try {
        value = await execute();
      } catch (error) {
        this.#noteFailed(path, error);
        throw error;
      }
      this.#assertAlive();
      assertFaithful(value, { run: this.runId, path });
      const stored = await this.#append(
        target === undefined
          ? { path, kind: 'step', value }
          : { path, kind: 'step', target: storedTarget(target), value },
      );
      return stored.value;
    } finally {
      this.#pending.delete(path);
    }
  }

  async decide<T>(path: string, kind: DecisionKind, compute: () => T): Promise<T> {
    this.#assertAlive();
    const known = this.#entries.get(path);
    if (known !== undefined) {
      if (known.kind !== 'decision') throw entryMismatch(this.runId, known, { decision: kind });
      this.#options.emit({ type: 'entry.replayed', run: this.runId, entry: known });
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- recorded from a T under this path
      return known.value as T;
    }
    this.#claimPath(path);
    try {
      const value = compute();
      if (isThenable(value)) throw decisionAsync(this.runId, path);
      assertFaithful(value, { run: this.runId, path });
      const stored = await this.#append({ path, kind: 'decision', decision: kind, value });
      // A decision is taken in the middle of an effect, and recording it takes time in which the claim may have lapsed.
      this.#checkClaim();
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the journal answers the value it was given
      return stored.value as T;
    } finally {
      this.#pending.delete(path);
    }
  }

  async park(where: ParkPlace, until: ParkUntil): Promise<never> {
    this.#assertAlive();
    this.#options.cancellation.throwIfCancelled();
    this.#parked.push(where.path);
    const wait: Wait = { path: where.path, resource: where.resource, ...until };
    const record = await this.#guard(() => this.#journal.recordWait(this.runId, wait));
    this.#options.emit({ type: 'wait.recorded', run: this.runId, wait: record });
    throw new DurableSuspension(this.runId, where, until);
  }

  answerAt(path: string): { readonly value: unknown } | undefined {
    const entry = this.#entries.get(path);
    return entry?.kind === 'step' ? { value: entry.value } : undefined;
  }

  async expireWait(path: string): Promise<{ readonly value: unknown } | undefined> {
    this.#assertAlive();
    const state = await this.#guard(() => this.#journal.closeWait(this.runId, path));
    if (state === 'closed') return undefined;
    const entries = await this.#guard(() => this.#journal.readEntries(this.runId));
    const answer = entries.find((entry) => entry.path === path && entry.kind === 'step');
    return answer === undefined ? undefined : { value: answer.value };
  }

  writesInside(zone: ZoneEntry): boolean {
    return this.#journal.writesInside?.(zone) ?? false;
  }

  noteZoneMode(info: ZoneModeInfo): void {
    const key = `${info.zone} ${info.attribute} ${info.mode}`;
    if (this.#zoneModes.has(key)) return;
    this.#zoneModes.add(key);
    if (info.mode === 'collapsed') this.#collapseReasons.add(info.reason);
    this.#options.emit({
      type: 'zone.mode',
      run: this.runId,
      zone: info.zone,
      mode: info.mode,
      reason: info.reason,
    });
  }

  #replay(entry: JournalEntry, target: DurableTarget | undefined, inputs: unknown): unknown {
    if (entry.kind !== 'step') throw entryMismatch(this.runId, entry, target === undefined ? {} : { target });
    if (target !== undefined && entry.target !== undefined && !sameTarget(entry.target, target)) {
      throw entryMismatch(this.runId, entry, { target });
    }
    this.#options.emit({ type: 'entry.replayed', run: this.runId, entry, inputs });
    return entry.value;
  }

  #assertAlive(): void {
    if (this.#fatal !== undefined) throw this.#fatal.error;
  }

  #claimPath(path: string): void {
    if (this.#pending.has(path)) throw pathBusy(this.runId, path);
    this.#options.cancellation.throwIfCancelled();
    this.#begun += 1;
    this.#pending.set(path, this.#begun);
  }

  /** What came in meanwhile may have cancelled the body or ended the execution. */
  async #letIn(): Promise<void> {
    await this.#turn.take();
    this.#assertAlive();
    this.#options.cancellation.throwIfCancelled();
  }

  #checkClaim(): void {
    try {
      this.#journal.checkClaim(this.runId);
    } catch (error) {
      this.end(error);
      throw error;
    }
  }

  /** What an effect throws ends the execution when it says that the run is lost; else it is told, unless it passes. */
  #noteFailed(path: string, error: unknown): void {
    if (isRunLost(error)) {
      this.end(error);
    } else if (!passesUncaught(error)) {
      this.#options.emit({ type: 'effect.failed', run: this.runId, path, error: this.#told(error) });
    }
  }

  #told(error: unknown): RunError {
    const told = toRunError(error);
    return this.#options.redaction?.error(told) ?? told;
  }

  async #append(entry: JournalEntry): Promise<JournalEntry> {
    let stored: JournalEntry;
    try {
      stored = await this.#journal.append(this.runId, entry);
    } catch (error) {
      throw this.#journalFailure(error);
    }
    this.#entries.set(stored.path, stored);
    this.#options.emit({ type: 'entry.recorded', run: this.runId, entry: stored });
    if (this.#turn.due) await this.#turn.take();
    return stored;
  }

  /** Whatever the journal cannot do ends the execution, except a value that it cannot keep. */
  async #guard<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw this.#journalFailure(error);
    }
  }

  #journalFailure(error: unknown): unknown {
    if (codeOf(error) === 'ERR_DURABLE_UNJOURNALABLE_VALUE') return error;
    const known = isRunLost(error) || codeOf(error)?.startsWith('ERR_DURABLE_') === true;
    const failure = known
      ? error
      : new InvokeError(
          'ERR_DURABLE_JOURNAL_UNAVAILABLE',
          `Cannot write to the journal of run "${this.runId}": ${error instanceof Error ? error.message : String(error)}`,
          { run: this.runId, hint: 'Repair the journal, then resume the run.' },
          { cause: error },
        );
    if (isRunLost(failure)) this.end(failure);
    return failure;
  }
}

function isThenable(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return 'then' in value && typeof value.then === 'function';
}

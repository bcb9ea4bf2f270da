import { statSync } from 'node:fs';
import type { RunError, RunOutcome, RunRecord, RunStart, RunStatus, Wait } from '@telorun/sdk/journal';
import { runNotFoundError } from '../journal-sqlite/errors.ts';
import { present, toText } from '../journal-sqlite/values.ts';
import type { Claims } from './claims.ts';
import type { RunFiles } from './run-files.ts';
import { runLine } from './run-line.ts';
import { parkedPlace, recordIn } from './run-record.ts';
import type { Store } from './store.ts';
import { dueAfter, firstOpen, recordWait } from './waits.ts';

/** What an unfinished look at a run may have to say of it. */
const CANCELLED = 'ERR_DURABLE_RUN_CANCELLED';

/** Runs as a whole: how they begin, stop and end. */
export class Runs {
  readonly #store: Store;
  readonly #claims: Claims;

  constructor(store: Store, claims: Claims) {
    this.#store = store;
    this.#claims = claims;
  }

  admit(
    run: string,
    { status = 'running', dueAt, inputs, program }: RunStart,
  ): { admitted: boolean; existing?: RunRecord } {
    toText(program, { run, path: 'program' });
    return this.#store.writing(run, (found) => {
      if (found.known) return { admitted: false, existing: this.recordOf(found) };
      found.discardOwn();
      const files = this.#store.anew(run);
      files.note([{ type: 'admitted', at: this.#store.now(), ...present('program', program) }]);
      const text = files.plain('inputs', '', inputs);
      files.create();
      files.write(runLine(run, { status, ...present('dueAt', dueAt), inputs: text }));
      files.close();
      return { admitted: true };
    });
  }

  read(run: string): RunRecord | undefined {
    return this.#store.reading(run, (files) => (files.known ? this.recordOf(files) : undefined));
  }

  /** @throws InvokeError ERR_DURABLE_CLAIM_LOST */
  complete(run: string, outcome: RunOutcome): void {
    toText(outcome.error, { run, path: 'error' });
    this.#store.writing(run, (files) => {
      this.#claims.mustHold(files);
      this.#settle(files, outcome);
    });
    this.#claims.forget(run);
  }

  /** Takes the run from whoever executes it: the fence goes up, so that its owner's next write is refused. */
  cancel(run: string, error: RunError): boolean {
    toText(error, { run, path: 'error' });
    return this.#store.writing(run, (files) => {
      if (!files.known || files.state.settled) return false;
      files.note([{ type: 'free', fence: files.state.claim.fence + 1 }]);
      this.#settle(files, { status: 'cancelled', error });
      return true;
    });
  }

  /** A claim that is lost already needs no giving back. */
  release(run: string, problem: RunError | undefined): void {
    toText(problem, { run, path: 'problem' });
    this.#store.writing(run, (files) => {
      if (!this.#claims.holds(files)) return;
      files.note([{ type: 'free', fence: files.state.claim.fence, ...present('problem', problem) }]);
    });
    this.#claims.forget(run);
  }

  /** Telo's park: records one wait and gives the claim back. @throws InvokeError ERR_DURABLE_CLAIM_LOST */
  park(run: string, wait: Wait): void {
    this.#store.writing(run, (files) => {
      const { fence } = this.#claims.mustHold(files);
      recordWait(files, wait, { fence, now: this.#store.now() });
      this.#stop(files, 'parked', dueAfter(files, { fence, now: this.#store.now() }));
    });
    this.#claims.drop(run);
  }

  /** @throws InvokeError ERR_DURABLE_CLAIM_LOST */
  suspend(run: string): RunRecord {
    const record = this.#store.writing(run, (files) => {
      const { fence } = this.#claims.mustHold(files);
      const dueAt = dueAfter(files, { fence, now: this.#store.now() });
      this.#stop(files, dueAt !== undefined && dueAt <= this.#store.now() ? 'running' : 'parked', dueAt);
      return this.recordOf(files);
    });
    this.#claims.forget(run);
    return record;
  }

  unpark(run: string): void {
    this.#store.writing(run, (files) => {
      this.mustKnow(files);
      if (files.state.line?.status === 'parked') files.write(runLine(run, { status: 'running' }));
    });
  }

  /** @throws InvokeError ERR_DURABLE_RUN_NOT_FOUND */
  mustKnow(files: RunFiles): void {
    if (!files.known) throw runNotFoundError({ file: files.file, run: files.run });
  }

  /** A run as its two files tell of it. Effect: asks the system for the times of the file. */
  recordOf(files: RunFiles): RunRecord {
    const { state } = files;
    const times = statSync(files.file, { throwIfNoEntry: false });
    return {
      ...recordIn(state, {
        value: (of, plain) => files.exact(of, '', plain),
        error: (plain) => this.#exactError(files, plain),
      }),
      ...present('createdAt', state.createdAt ?? (times && Math.floor(times.birthtimeMs))),
      ...present('updatedAt', times && Math.floor(times.mtimeMs)),
      claimed: this.#claims.isLive(state.claim),
    };
  }

  #stop(files: RunFiles, status: RunStatus, dueAt: number | undefined): void {
    const { run, state } = files;
    const waiting = status === 'parked' ? firstOpen(state.waits()) : undefined;
    const parked = waiting === undefined ? {} : { parked: parkedPlace(waiting) };
    const text = runLine(run, { status, ...parked, ...present('dueAt', status === 'parked' ? dueAt : undefined) });
    const stands =
      state.line === undefined ? '' : runLine(run, { ...state.line, inputs: undefined, result: undefined });
    // A run that waits as it did before leaves no new line.
    if (text !== stands) files.write(text);
    files.note([{ type: 'free', fence: state.claim.fence }]);
  }

  /** The file in Telo's format says that it is over before ours says that nobody executes it. */
  #settle(files: RunFiles, { status, result, error, collapsedRegions, collapseReasons }: RunOutcome): void {
    const text = files.plain('result', '', result);
    // Telo keeps code and message of an error; the rest is noted beside.
    if (error?.data !== undefined) files.note([{ type: 'exact', of: 'error', path: '', value: error }]);
    files.write(
      runLine(files.run, {
        status,
        result: text,
        ...present('error', error),
        ...present('collapsedRegions', collapsedRegions),
        ...present('collapseReasons', collapseReasons),
      }),
    );
    files.note([{ type: 'free', fence: files.state.claim.fence }]);
  }

  #exactError(files: RunFiles, error: RunError): RunError {
    const noted = files.notedError();
    return noted !== undefined && noted.code === error.code && noted.message === error.message ? noted : error;
  }
}

/** What a run is cancelled with. Pure. */
export function cancellation(reason: string | undefined): RunError {
  return { code: CANCELLED, message: reason ?? 'The run was cancelled.' };
}

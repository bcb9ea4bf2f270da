import { cancellationError, type InvokeError } from '@telorun/sdk';
import { timedOut } from './problems.ts';

type Phase = 'response' | 'idle' | 'total';

/** The time of one call over all its attempts, and everything else that stops it. */
export class CallClock {
  readonly #controller = new AbortController();
  readonly #cancelledBy: readonly AbortSignal[];
  readonly #onAbort: () => void;
  readonly #total: NodeJS.Timeout;
  #phase: NodeJS.Timeout | undefined;
  #stopped: InvokeError | undefined;

  /** Effect: starts the timer of the whole call, and listens to whoever may cancel it. */
  constructor(totalMs: number, cancelledBy: readonly AbortSignal[]) {
    this.#cancelledBy = cancelledBy;
    this.#onAbort = () => this.#stop(cancellationError('the call was given up'));
    for (const signal of cancelledBy) signal.addEventListener('abort', this.#onAbort, { once: true });
    this.#total = setTimeout(() => this.#stop(timedOut('total', totalMs)), totalMs);
    if (cancelledBy.some((signal) => signal.aborted)) this.#onAbort();
  }

  /** Aborted when the call must stop, whatever the reason. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Why the call must stop: a cancellation or a time limit; undefined while it may go on. */
  get stopped(): InvokeError | undefined {
    return this.#stopped;
  }

  /** Effect: gives what is waited for next a limit of its own. */
  arm(phase: Phase, limitMs: number): void {
    this.disarm();
    this.#phase = setTimeout(() => this.#stop(timedOut(phase, limitMs)), limitMs);
  }

  /** Effect: nothing is waited for now; only the time of the whole call goes on. */
  disarm(): void {
    clearTimeout(this.#phase);
    this.#phase = undefined;
  }

  /** @throws InvokeError ERR_INVOKE_CANCELLED, ERR_AI_TIMEOUT once the call must stop */
  assertRunning(): void {
    if (this.#stopped !== undefined) throw this.#stopped;
  }

  /** Effect: stops the timers; the call is over. */
  dispose(): void {
    this.disarm();
    clearTimeout(this.#total);
    for (const signal of this.#cancelledBy) signal.removeEventListener('abort', this.#onAbort);
  }

  #stop(error: InvokeError): void {
    if (this.#stopped !== undefined) return;
    this.#stopped = error;
    this.dispose();
    this.#controller.abort(error);
  }
}

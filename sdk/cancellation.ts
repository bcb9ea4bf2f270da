import type { CancellationSource } from './controller.ts';
import { codeOf, InvokeError } from './invoke-error.ts';
import type { InvokeContext } from './invoke-context.ts';

/** Tells work that it should stop. Immutable for its readers; only the source that made it can cancel it. */
export interface CancellationToken {
  readonly isCancelled: boolean;
  /** Why, once cancelled: `deadline-exceeded` for a deadline, else what the canceller said. */
  readonly reason: string | undefined;
  readonly signal: AbortSignal;
  /** Calls `listener` once on cancellation, at once when that has happened already. Answers how to stop listening. */
  onCancelled(listener: (reason: string) => void): () => void;
  /** @throws InvokeError ERR_INVOKE_CANCELLED once cancelled. */
  throwIfCancelled(): void;
}

const CANCELLED = 'ERR_INVOKE_CANCELLED';
const DEADLINE = 'deadline-exceeded';
/** The longest delay that `setTimeout` keeps; a later deadline is reached in several hops. */
const TIMER_MS_MAX = 2_147_483_647;

/** Whether `error` says that work was stopped rather than that it failed. Pure: by code, not by class. */
export function isCancellationError(error: unknown): boolean {
  return codeOf(error) === CANCELLED;
}

/** The error of work that stopped because it was told to. Pure. */
export function cancellationError(reason: string, data?: Record<string, unknown>, cause?: unknown): InvokeError {
  return new InvokeError(CANCELLED, `The invocation was cancelled: ${reason}`, { reason, ...data }, { cause });
}

class Token implements CancellationToken {
  readonly #controller = new AbortController();
  readonly #listeners = new Set<(reason: string) => void>();
  #reason: string | undefined;

  get isCancelled(): boolean {
    return this.#reason !== undefined;
  }

  get reason(): string | undefined {
    return this.#reason;
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  onCancelled(listener: (reason: string) => void): () => void {
    if (this.#reason !== undefined) {
      listener(this.#reason);
      return () => undefined;
    }
    // A wrapper of its own, so that the same function may listen twice and stop listening once.
    const entry = (reason: string): void => listener(reason);
    this.#listeners.add(entry);
    return () => this.#listeners.delete(entry);
  }

  throwIfCancelled(): void {
    if (this.#reason !== undefined) throw cancellationError(this.#reason);
  }

  trip(reason: string): void {
    if (this.#reason !== undefined) return;
    this.#reason = reason;
    const listeners = [...this.#listeners];
    this.#listeners.clear();
    this.#controller.abort(cancellationError(reason));
    for (const listener of listeners) listener(reason);
  }
}

class Source implements CancellationSource {
  readonly token: CancellationToken;
  readonly context: InvokeContext;
  readonly #token = new Token();
  #timer: NodeJS.Timeout | undefined;

  constructor() {
    this.token = this.#token;
    this.context = Object.freeze({ cancellation: this.#token });
  }

  cancel(reason = 'cancelled'): void {
    this.dispose();
    this.#token.trip(reason);
  }

  cancelAt(epochMs: number): void {
    this.dispose();
    const leftMs = epochMs - Date.now();
    if (leftMs <= 0) {
      this.#token.trip(DEADLINE);
      return;
    }
    this.#timer = setTimeout(() => this.cancelAt(epochMs), Math.min(leftMs, TIMER_MS_MAX));
    this.#timer.unref();
  }

  cancelAfter(ms: number): void {
    this.cancelAt(Date.now() + ms);
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}

/** Makes a source of one cancellation; its deadline timer never keeps the process alive. */
export function createCancellationSource(): CancellationSource {
  return new Source();
}

/** The token of work that nobody can cancel. */
export const NEVER_CANCELLED: CancellationToken = Object.freeze({
  isCancelled: false,
  reason: undefined,
  signal: new AbortController().signal,
  onCancelled: () => () => undefined,
  throwIfCancelled: () => undefined,
});

/** The context of work that nobody can cancel: no run, no zones. */
export const UNCANCELLABLE_CONTEXT: InvokeContext = Object.freeze({ cancellation: NEVER_CANCELLED });

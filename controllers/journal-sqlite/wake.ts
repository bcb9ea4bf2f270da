const POLL_MS = 1_000;

export interface WakeSource {
  /** A number that changes when another connection has written to the file. Effect: asks SQLite, reads no page. */
  dataVersion(): unknown;
}

/**
 * Calls handlers when there may be due work: at once for what this instance did, within a second for what others wrote.
 * The timer runs while somebody listens and does not hold the process.
 */
export class Wake {
  readonly #source: WakeSource;
  readonly #handlers = new Set<() => void>();
  #timer: NodeJS.Timeout | undefined;
  #seen: unknown;

  constructor(source: WakeSource) {
    this.#source = source;
  }

  listen(handler: () => void): () => void {
    // A wrapper of its own, so that one function may listen twice and leave once.
    const listener = (): void => handler();
    this.#handlers.add(listener);
    if (this.#timer === undefined) {
      this.#seen = this.#source.dataVersion();
      this.#timer = setInterval(() => this.#poll(), POLL_MS);
      this.#timer.unref();
    }
    return () => {
      this.#handlers.delete(listener);
      if (this.#handlers.size === 0) this.stop();
    };
  }

  notify(): void {
    for (const handler of this.#handlers) handler();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #poll(): void {
    let version: unknown;
    try {
      version = this.#source.dataVersion();
    } catch {
      // The handler reads the journal itself and reports what is wrong with it in its own words.
      version = Symbol('unreadable');
    }
    if (version === this.#seen) return;
    this.#seen = version;
    this.notify();
  }
}

import { isSuspension } from '@telorun/sdk';
import type { Logger } from '@telorun/sdk';

/** Long enough never to fire; only its being there keeps the process alive. Milliseconds. */
const KEEP_ALIVE_MS = 2 ** 30;

/** What keeps an application running after its boot: holds taken and detached work not settled. */
export class Holds {
  readonly #reasons = new Map<symbol, string>();
  readonly #work = new Set<Promise<void>>();
  readonly #waiting = new Set<() => void>();
  #alive: NodeJS.Timeout | undefined;

  /** Takes a hold; the answer releases it, once. Effect: the process stays alive until then. */
  acquire(reason: string): () => void {
    const key = Symbol(reason);
    this.#reasons.set(key, reason);
    this.#changed();
    return () => {
      if (this.#reasons.delete(key)) this.#changed();
    };
  }

  /** Starts work nobody waits for. Effect: a failure is logged, a suspension is not one. */
  detach(work: () => Promise<unknown>, log: Logger): void {
    const running: Promise<void> = Promise.resolve()
      .then(work)
      .then(
        () => undefined,
        (error: unknown) => {
          if (!isSuspension(error)) log.error('background.task.error', {}, { error });
        },
      )
      .finally(() => {
        this.#work.delete(running);
        this.#changed();
      });
    this.#work.add(running);
    this.#changed();
  }

  /** How many pieces of detached work have not settled. Pure. */
  get detached(): number {
    return this.#work.size;
  }

  /** Resolves once nothing holds and nothing detached runs. */
  async idle(): Promise<void> {
    while (this.#reasons.size > 0 || this.#work.size > 0) {
      await new Promise<void>((resolve) => this.#waiting.add(resolve));
    }
  }

  /** Waits for detached work, at most `ms`. Answers how many pieces are still running. */
  async drain(ms: number): Promise<number> {
    if (this.#work.size === 0) return 0;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, ms);
    });
    await Promise.race([this.#settled(), late]);
    clearTimeout(timer);
    return this.#work.size;
  }

  async #settled(): Promise<void> {
    while (this.#work.size > 0) await Promise.all(this.#work);
  }

  #changed(): void {
    const busy = this.#reasons.size > 0 || this.#work.size > 0;
    if (busy) {
      this.#alive ??= setInterval(() => undefined, KEEP_ALIVE_MS);
    } else {
      clearInterval(this.#alive);
      this.#alive = undefined;
    }
    for (const resume of this.#waiting) resume();
    this.#waiting.clear();
  }

  /** Drops the keep-alive whatever is held: the application is closed. Effect. */
  close(): void {
    this.#reasons.clear();
    this.#changed();
    clearInterval(this.#alive);
    this.#alive = undefined;
  }
}

import { TURN_MS_MAX } from './limits.ts';

/**
 * When to let the event loop turn: files and journal are synchronous, so that a run with many effects would hear no
 * interruption and renew no claim before its end.
 */
export class Turn {
  #since = performance.now();

  /** Whether the loop has been held long enough. Pure. */
  get due(): boolean {
    return performance.now() - this.#since >= TURN_MS_MAX;
  }

  /** Effect: answers after the loop has turned. */
  async take(): Promise<void> {
    // An immediate that is set by an immediate runs after the next poll, in which signals are heard.
    await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
    this.#since = performance.now();
  }
}

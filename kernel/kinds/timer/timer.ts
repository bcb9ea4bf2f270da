import type { CancellationToken } from '@telorun/sdk';

/** What a timer of Node holds; a longer one fires at once. */
const TIMER_MS_MAX = 2_147_483_647;

export interface TimerOptions {
  /** Whether the timer keeps the process alive. */
  readonly holdsProcess: boolean;
}

/**
 * Calls `fire` once after `delayMs`, however long that is; answers how to stop it. Effect: timers, one at a time, each
 * within what Node can hold.
 */
export function startTimer(delayMs: number, fire: () => void, options: TimerOptions): () => void {
  const dueAt = Date.now() + delayMs;
  let timer: NodeJS.Timeout;
  const arm = (): void => {
    const left = Math.max(0, dueAt - Date.now());
    timer = setTimeout(() => (left > TIMER_MS_MAX ? arm() : fire()), Math.min(left, TIMER_MS_MAX));
    if (!options.holdsProcess) timer.unref();
  };
  arm();
  return () => clearTimeout(timer);
}

/** Waits; ends early on cancellation. @throws InvokeError ERR_INVOKE_CANCELLED */
export async function pause(delayMs: number, cancellation: CancellationToken): Promise<void> {
  cancellation.throwIfCancelled();
  await new Promise<void>((resolve) => {
    const finish = (): void => {
      stop();
      unsubscribe();
      resolve();
    };
    const stop = startTimer(delayMs, finish, { holdsProcess: true });
    const unsubscribe = cancellation.onCancelled(finish);
  });
  cancellation.throwIfCancelled();
}

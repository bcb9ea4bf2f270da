import type { CancellationToken } from '@telorun/sdk';
import { createCancellationSource, isCancellationError } from '@telorun/sdk';
import { passesUnrecorded } from './signals.ts';

export interface TimeLimit {
  readonly limitMs: number;
  /** The token of the evaluation; its cancellation is the work's, too. */
  readonly parent: CancellationToken;
  /** What the work fails with when its time is over. */
  expired(cause: unknown): Error;
}

/** How long cancelled work may take to tear down, in milliseconds, before it is left behind. */
const TEARDOWN_MS_MAX = 5_000;

/**
 * Runs `work` under a token that is cancelled with the parent, or after `limitMs`.
 *
 * Effect: starts the work and its timer. Late work is cancelled and given time to tear down; what it answers in that
 * time counts. Work that ignores its cancellation is left behind; its later answer goes nowhere.
 *
 * @see kernel-specs/evaluate.md EV-35
 */
export async function withinTimeLimit<T>(work: (token: CancellationToken) => Promise<T>, limit: TimeLimit): Promise<T> {
  const source = createCancellationSource();
  const stopListening = limit.parent.onCancelled((reason) => source.cancel(reason));
  let late = false;
  let timer: NodeJS.Timeout | undefined;
  const leftBehind = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      late = true;
      timer = setTimeout(() => reject(limit.expired(undefined)), Math.min(limit.limitMs, TEARDOWN_MS_MAX));
      source.cancel('deadline-exceeded');
    }, limit.limitMs);
  });
  try {
    return await Promise.race([work(source.token), leftBehind]);
  } catch (error) {
    if (!late || (passesUnrecorded(error) && !isCancellationError(error))) {
      throw error;
    }
    limit.parent.throwIfCancelled();
    throw limit.expired(error);
  } finally {
    clearTimeout(timer);
    stopListening();
    source.dispose();
  }
}

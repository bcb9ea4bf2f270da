import { cancellationError } from '../cancellation.ts';
import { stepPath } from '../step-path.ts';
import { assertMaySuspend, parkRun, SUSPENDING_BACKOFF_MS } from '../suspension.ts';
import { leaveWaits } from './abandoned-wait.ts';
import { pendingFailure, rethrowPassing } from './failure.ts';
import { decide, type Frame } from './frame.ts';
import { isRetryable, retryBackoffMs, type RetryPolicy } from './retry-policy.ts';

/** The longest delay that `setTimeout` keeps. */
const TIMER_MS_MAX = 2_147_483_647;

/** One step's work as retry sees it. */
export interface Retried {
  readonly step: string;
  readonly path: string;
  readonly resource: string;
  readonly policy: RetryPolicy;
  /** Performs attempt number `attempt`, counted over all enclosing retries. */
  readonly perform: (attempt: number) => Promise<unknown>;
}

interface Pause {
  readonly at: string;
  readonly dueMs: number;
  readonly parks: boolean;
  readonly failure?: unknown;
}

function sleep(ms: number, frame: Frame, work: Retried, failure: unknown): Promise<void> {
  const token = frame.invokeCtx?.cancellation;
  return new Promise((resolve, reject) => {
    let stopListening: (() => void) | undefined;
    const timer = setTimeout(
      () => {
        stopListening?.();
        resolve();
      },
      Math.min(ms, TIMER_MS_MAX),
    );
    stopListening = token?.onCancelled((reason) => {
      clearTimeout(timer);
      const pending = failure === undefined ? {} : { pendingFailure: pendingFailure(failure) };
      reject(cancellationError(reason, { step: work.step, ...pending }, failure));
    });
  });
}

async function pause(frame: Frame, work: Retried, { at, dueMs, parks, failure }: Pause): Promise<void> {
  if (frame.replayOnly || frame.clock.now() >= dueMs) return;
  if (parks && frame.handle !== undefined) {
    await parkRun(frame.handle, { path: at, resource: work.resource }, { at: dueMs });
  }
  for (let leftMs = dueMs - frame.clock.now(); leftMs > 0; leftMs = dueMs - frame.clock.now()) {
    await sleep(leftMs, frame, work, failure);
  }
}

function parksAfter(frame: Frame, policy: RetryPolicy, resend: number): boolean {
  return frame.handle !== undefined && retryBackoffMs(policy, resend) >= SUSPENDING_BACKOFF_MS;
}

function unreachable(): never {
  throw new TypeError('A recorded decision is never computed');
}

/** Passes over the attempts on record, waiting out the last pause. Answers how many re-sends were recorded. */
async function resendsRecorded(frame: Frame, work: Retried, first: number): Promise<number> {
  const { handle } = frame;
  const { path, policy } = work;
  if (handle?.recorded === undefined || handle.recorded(path)) return 0;
  let resends = 0;
  while (resends < policy.attempts && handle.recorded(stepPath(path, 'retry', first + resends))) resends += 1;
  if (resends === 0) return 0;
  const at = stepPath(path, 'retry', first + resends - 1);
  const dueMs = Number(await handle.decide(at, 'value', unreachable));
  await pause(frame, work, { at, dueMs, parks: parksAfter(frame, policy, resends - 1) });
  return resends;
}

async function backOff(frame: Frame, work: Retried, next: { resend: number; first: number; failure: unknown }) {
  const { policy, path, resource } = work;
  const parks = parksAfter(frame, policy, next.resend);
  if (parks) assertMaySuspend(frame.ctx, frame.invokeCtx, { resource });
  const backoffMs = retryBackoffMs(policy, next.resend);
  const delayMs = policy.jitter === 'none' ? backoffMs : frame.clock.random() * backoffMs;
  const at = stepPath(path, 'retry', next.first + next.resend);
  const dueMs = await decide(frame, at, 'value', () => Math.ceil(frame.clock.now() + delayMs));
  await pause(frame, work, { at, dueMs, parks, failure: next.failure });
  await leaveWaits(frame, { path, at, resource });
}

/**
 * Performs work until an attempt succeeds or none is left.
 *
 * Durable: the instant at which the attempt after attempt n is due, at `<path>/retry[n]`. A recorded attempt is not
 * performed again.
 *
 * @see kernel-specs/steps.md ST-20 to ST-27
 */
export async function withRetry(frame: Frame, work: Retried): Promise<unknown> {
  const { policy } = work;
  const first = frame.attempt * (policy.attempts + 1);
  const recorded = policy.attempts === 0 ? 0 : await resendsRecorded(frame, work, first);
  for (let resend = recorded; ; resend += 1) {
    try {
      return await work.perform(first + resend);
    } catch (error) {
      rethrowPassing(error, frame, work.step);
      if (resend >= policy.attempts || !isRetryable(error, policy)) throw error;
      await backOff(frame, work, { resend, first, failure: error });
    }
  }
}

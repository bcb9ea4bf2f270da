import { isCancellationError } from './cancellation.ts';
import { codeOf, isInvokeError } from './invoke-error.ts';
import { isSuspension } from './suspension.ts';

/** Whether `error` says that this process may write nothing more for the run. Pure. */
export function isRunLost(error: unknown): boolean {
  const code = codeOf(error);
  return code !== undefined && (code === 'ERR_DURABLE_CLAIM_LOST' || code.startsWith('ERR_DURABLE_JOURNAL_'));
}

/** Whether `error` refuses to go on and leaves the run as it is, until its cause is gone. Pure. */
function isResumable(error: unknown): boolean {
  if (!isInvokeError(error)) return false;
  const { data } = error;
  return typeof data === 'object' && data !== null && 'resumable' in data && data.resumable === true;
}

/**
 * Whether every `catch` must let `error` pass: a suspension, a cancellation, a lost claim, an error of the journal, and
 * a refusal that leaves the run resumable, which a `catch` branch on record would settle for good.
 *
 * Pure.
 *
 * @see kernel-specs/durable-run.md D-35
 */
export function passesUncaught(error: unknown): boolean {
  return isSuspension(error) || isCancellationError(error) || isRunLost(error) || isResumable(error);
}

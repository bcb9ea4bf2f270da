import { isCancellationError } from './cancellation.ts';
import { codeOf } from './invoke-error.ts';
import { isSuspension } from './suspension.ts';

/** Whether `error` says that this process may write nothing more for the run. Pure. */
export function isRunLost(error: unknown): boolean {
  const code = codeOf(error);
  return code !== undefined && (code === 'ERR_DURABLE_CLAIM_LOST' || code.startsWith('ERR_DURABLE_JOURNAL_'));
}

/**
 * Whether every `catch` must let `error` pass: a suspension, a cancellation, a lost claim, an error of the journal.
 *
 * Pure.
 *
 * @see kernel-specs/durable-run.md D-35
 */
export function passesUncaught(error: unknown): boolean {
  return isSuspension(error) || isCancellationError(error) || isRunLost(error);
}

import type { DurableRunHandle } from '@telorun/sdk';
import { assertNotSwallowed, isCancellationError, isInvokeError, isSuspension, latchedSuspension } from '@telorun/sdk';

const HANDLE_CODES: ReadonlySet<string> = new Set([
  'ERR_DURABLE_CLAIM_LOST',
  'ERR_DURABLE_SUSPENSION_SWALLOWED',
  'ERR_DURABLE_UNJOURNALABLE_VALUE',
  'ERR_JOURNAL_ENTRY_MISMATCH',
]);

/**
 * Whether an error is no failure of an operation: a suspension, a cancellation, a fault of the handle or its journal,
 * or a refusal that leaves the run resumable. Such an error passes every layer untouched and unrecorded.
 *
 * Pure.
 *
 * @see kernel-specs/evaluate.md EV-34
 */
export function passesUnrecorded(error: unknown): boolean {
  if (isSuspension(error) || isCancellationError(error)) {
    return true;
  }
  const code = codeOf(error);
  if (code === undefined) {
    return false;
  }
  return HANDLE_CODES.has(code) || code.startsWith('ERR_DURABLE_JOURNAL_') || isResumable(error);
}

/** The code an error carries, whatever class it has. Pure. */
export function codeOf(error: unknown): string | undefined {
  return typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string'
    ? error.code
    : undefined;
}

/**
 * Asserts that nothing below `path` caught the signal of a wait: what it answered then must not be recorded.
 *
 * Pure.
 *
 * @throws InvokeError ERR_DURABLE_SUSPENSION_SWALLOWED
 */
export function assertNoWaitBelow(handle: DurableRunHandle, path: string): void {
  // The latch tells of the first signal of the run alone; a handle that tells of all of them is asked, too.
  const latched = latchedSuspension(handle);
  if (latched?.path === path || latched?.path.startsWith(`${path}/`) === true || handle.parkedBelow?.(path) === true) {
    assertNotSwallowed(handle);
  }
}

// An evaluation nested in an operation refuses a changed policy in this way; recording that would settle the outer one.
function isResumable(error: unknown): boolean {
  if (!isInvokeError(error)) {
    return false;
  }
  const { data } = error;
  return typeof data === 'object' && data !== null && 'resumable' in data && data.resumable === true;
}

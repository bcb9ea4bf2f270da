import { cancellationError } from '../cancellation.ts';
import { codeOf, InvokeError, isInvokeError } from '../invoke-error.ts';
import { unjournalableAt } from '../journalable.ts';
import { passesUncaught } from '../passing.ts';
import type { Frame } from './frame.ts';
import { isReplayEnd } from './replay-only.ts';
import { isObject } from './step.ts';

/** The code that a failure without one goes by. */
export const PLAIN_ERROR_CODE = 'INTERNAL_ERROR';

/** A failure as `catch` and `catches` see it: `error`. */
export interface SequenceError {
  readonly message: string;
  readonly code: string;
  readonly data: unknown;
  /** Name of the enclosing try step, or of the resource. */
  readonly step: string;
}

/** A failure in flight: what was thrown, and what is recorded about it. */
export interface Failure {
  readonly thrown: unknown;
  readonly record: SequenceError;
}

/** Answers a failure as data. Pure. Anything but an InvokeError has the code INTERNAL_ERROR and no data. */
export function toSequenceError(error: unknown, step: string): SequenceError {
  const code = isInvokeError(error) ? error.code : PLAIN_ERROR_CODE;
  const message = error instanceof Error || isInvokeError(error) ? error.message : String(error);
  return { message: message === '' ? code : message, code, data: isInvokeError(error) ? error.data : undefined, step };
}

/** Answers a failure in the form that a journal keeps; data that cannot be kept is replaced by a note that says so. Pure. */
export function recordableFailure(error: unknown, step: string): SequenceError {
  const failure = toSequenceError(error, step);
  const fault = unjournalableAt(failure.data);
  if (fault === undefined) return failure;
  return { ...failure, data: { unjournalable: { at: fault.at, valueType: fault.valueType } } };
}

/** Reads a recorded failure back. Pure. */
export function readFailure(recorded: unknown, step: string): SequenceError {
  const { message, code, data } = isObject(recorded) ? recorded : {};
  return {
    message: typeof message === 'string' ? message : PLAIN_ERROR_CODE,
    code: typeof code === 'string' ? code : PLAIN_ERROR_CODE,
    data,
    step,
  };
}

/** What is thrown again for a failure that is known from its record only. Pure. */
export function thrownAgain(record: SequenceError): Error {
  if (record.code === PLAIN_ERROR_CODE) return new Error(record.message);
  return new InvokeError(record.code, record.message, record.data);
}

/** What is told about a failure that a cancellation overtook. Pure. */
export function pendingFailure(error: unknown): { code?: string; message: string } {
  const code = codeOf(error);
  const message = error instanceof Error ? error.message : String(error);
  return code === undefined ? { message } : { code, message };
}

/**
 * Lets pass what no step may hold, and the cancellation of this body, also where a failure overtook it: once the
 * tree is cancelled, no `catch`, `finally` or retry starts anything.
 */
export function rethrowPassing(error: unknown, frame: Frame, step: string): void {
  if (passesUncaught(error) || isReplayEnd(error)) throw error;
  const reason = frame.invokeCtx?.cancellation.reason;
  if (reason !== undefined) throw cancellationError(reason, { step, pendingFailure: pendingFailure(error) }, error);
}

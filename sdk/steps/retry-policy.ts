import { parseDurationMs } from '../duration.ts';
import { integerInput } from '../integer.ts';
import { isInvokeError } from '../invoke-error.ts';
import { isObject } from './step.ts';

/** How often and how soon a failed step is sent again. Delays in milliseconds. */
export interface RetryPolicy {
  /** Re-sends after the first attempt. */
  readonly attempts: number;
  readonly initialDelay: number;
  readonly factor: number;
  readonly maxDelay: number;
  readonly jitter: 'full' | 'none';
  readonly nonRetryable: readonly string[];
}

/** The policy of a step that states none. */
export const NO_RETRY: RetryPolicy = Object.freeze({
  attempts: 0,
  initialDelay: 250,
  factor: 2,
  maxDelay: 32_000,
  jitter: 'full',
  nonRetryable: [],
});

/** Codes that another attempt cannot change, or must not: the answer would be the same, or the effect is already performed. */
const NEVER_RETRIED: ReadonlySet<string> = new Set([
  'ERR_INPUT_INVALID',
  'ERR_OUTPUT_INVALID',
  'ERR_RESOURCE_NOT_FOUND',
  'ERR_RESOURCE_NOT_INVOKABLE',
  'ERR_DURABLE_AWAIT_TIMEOUT',
  'ERR_DURABLE_SLEEP_INVALID',
  'ERR_DURABLE_SECRET_VALUE',
  'ERR_DURABLE_SUSPEND_FORBIDDEN',
  'ERR_DURABLE_UNJOURNALABLE_VALUE',
  'ERR_JOURNAL_ENTRY_MISMATCH',
]);

function number(value: unknown, fallback: number): number {
  return typeof value === 'bigint' ? Number(value) : typeof value === 'number' && value >= 0 ? value : fallback;
}

function initialDelay(stated: Readonly<Record<string, unknown>>): number {
  const { initialDelay: ms, delay } = stated;
  if (ms === undefined && typeof delay === 'string') return parseDurationMs(delay);
  return number(ms, NO_RETRY.initialDelay);
}

/** Reads a step's `retry`, already expanded. Pure. */
export function readRetryPolicy(stated: unknown): RetryPolicy {
  if (!isObject(stated)) return NO_RETRY;
  const { attempts, factor, maxDelay, jitter, nonRetryable } = stated;
  return {
    attempts: attempts === undefined ? 0 : Math.max(0, integerInput(attempts, 'retry.attempts')),
    initialDelay: initialDelay(stated),
    factor: number(factor, NO_RETRY.factor),
    maxDelay: number(maxDelay, NO_RETRY.maxDelay),
    jitter: jitter === 'none' ? 'none' : 'full',
    nonRetryable: Array.isArray(nonRetryable) ? nonRetryable.map(String) : [],
  };
}

/** Milliseconds of backoff before re-send `resend` (from 0), before jitter. Pure. */
export function retryBackoffMs(policy: Omit<RetryPolicy, 'jitter' | 'nonRetryable'>, resend: number): number {
  return Math.min(policy.maxDelay, policy.initialDelay * policy.factor ** resend);
}

/** Whether another attempt may follow a failure. Pure. What passes every `catch` is decided before. */
export function isRetryable(error: unknown, policy: Pick<RetryPolicy, 'nonRetryable'>): boolean {
  if (!isInvokeError(error)) return !policy.nonRetryable.includes('INTERNAL_ERROR');
  return !NEVER_RETRIED.has(error.code) && !policy.nonRetryable.includes(error.code);
}

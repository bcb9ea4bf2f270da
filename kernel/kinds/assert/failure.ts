import { InvokeError } from '@telorun/sdk';

/** What an assertion that does not hold throws; a manifest can match its code. */
export function assertionFailed(sentence: string, data: Readonly<Record<string, unknown>>): InvokeError {
  return new InvokeError('ERR_ASSERTION_FAILED', sentence, data);
}

/** What an assertion that cannot be made throws. */
export function invalidConfig(sentence: string, hint: string, cause?: unknown): InvokeError {
  return new InvokeError('ERR_INVALID_CONFIG', sentence, { hint }, { cause });
}

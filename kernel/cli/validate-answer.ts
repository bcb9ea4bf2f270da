import { isInvokeError } from '@telorun/sdk';
import { boundedValidator } from '../manifest/ajv.ts';

/**
 * What `schema` says against `payload`, one line each; nothing when it fits. Pure: neither a schema on record nor an
 * answer can make it take long; what is beyond a bound does not fit.
 */
export function validateAnswer(schema: unknown, payload: unknown): readonly string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  try {
    const problems = boundedValidator(schema)(payload);
    return problems.map(
      ({ instancePath, message }) => `${instancePath || '(the answer)'} ${message ?? 'does not fit'}`,
    );
  } catch (error) {
    if (isInvokeError(error) && error.code === 'ERR_SCHEMA_LIMIT') return [`(the answer) ${error.message}`];
    throw error;
  }
}

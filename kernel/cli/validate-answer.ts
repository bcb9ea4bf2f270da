import { isInvokeError } from '@telorun/sdk';
import type { ErrorObject } from 'ajv';
import { boundedValidator } from '../manifest/ajv.ts';

/**
 * What `schema` says against `payload`, one line each; nothing when it fits. Pure: neither a schema on record nor an
 * answer can make it take long; what is beyond a bound does not fit.
 */
export function validateAnswer(schema: unknown, payload: unknown): readonly string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  try {
    const problems = boundedValidator(schema)(payload);
    return problems.map((problem) => `${problem.instancePath || '(the answer)'} ${saidOf(problem)}`);
  } catch (error) {
    if (isInvokeError(error) && error.code === 'ERR_SCHEMA_LIMIT') return [`(the answer) ${error.message}`];
    throw error;
  }
}

/** What is wrong with one place of an answer; what may stand there is listed. Pure. */
function saidOf({ keyword, params, message }: ErrorObject): string {
  if (keyword === 'enum' && Array.isArray(params['allowedValues'])) {
    return `must be one of ${params['allowedValues'].map((one) => JSON.stringify(one)).join(', ')}`;
  }
  if (keyword === 'const') return `must be ${JSON.stringify(params['allowedValue'])}`;
  if (keyword === 'additionalProperties') {
    return `must not have the field ${JSON.stringify(params['additionalProperty'])}`;
  }
  return message ?? 'does not fit';
}

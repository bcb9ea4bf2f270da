import { plainObject } from '../../graph/plain.ts';
import type { KindDefinition } from '../kind.ts';
import { shown } from './compare.ts';
import { assertionFailed, invalidConfig } from './failure.ts';

/** `Assert.Matches`. Pure. @throws InvokeError ERR_ASSERTION_FAILED, ERR_INVALID_CONFIG @see kernel-specs/run-kinds.md RK-41 */
function assertMatches(inputs: unknown): true {
  const { actual, pattern, flags } = plainObject(inputs);
  const expression = readPattern(pattern, flags);
  if (typeof actual === 'string' && expression.test(actual)) return true;
  throw assertionFailed(`Expected text that matches /${expression.source}/, got ${shown(actual)}`, { actual, pattern });
}

function readPattern(pattern: unknown, flags: unknown): RegExp {
  try {
    return new RegExp(String(pattern), typeof flags === 'string' ? flags : '');
  } catch (error) {
    throw invalidConfig(
      `Cannot read pattern ${shown(pattern)}: it is no regular expression`,
      'Correct the pattern or its flags.',
      error,
    );
  }
}

export const matches: KindDefinition = {
  module: 'Assert',
  name: 'Matches',
  description: 'Holds when a text matches a regular expression.',
  capability: 'Telo.Invocable',
  schema: { type: 'object', additionalProperties: false, properties: {} },
  inputType: {
    type: 'object',
    required: ['actual', 'pattern'],
    additionalProperties: false,
    properties: {
      actual: { title: 'Actual', description: 'The text.' },
      pattern: { title: 'Pattern', description: 'A regular expression, without slashes.', type: 'string' },
      flags: { title: 'Flags', description: 'Flags of the expression, such as i.', type: 'string' },
    },
  },
  outputType: { type: 'boolean' },
  throws: {
    codes: {
      ERR_ASSERTION_FAILED: { description: 'The text does not match.' },
      ERR_INVALID_CONFIG: { description: 'The pattern is no regular expression.' },
    },
  },
  controller: () => Promise.resolve({ create: () => ({ invoke: async (inputs) => assertMatches(inputs) }) }),
};

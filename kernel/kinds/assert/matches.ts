import { pattern } from '../../cel/pattern/pattern.ts';
import { plainObject } from '../../graph/plain.ts';
import type { KindDefinition } from '../kind.ts';
import { shown } from './compare.ts';
import { assertionFailed, invalidConfig } from './failure.ts';

/** `Assert.Matches`. Pure. @throws InvokeError ERR_ASSERTION_FAILED, ERR_INVALID_CONFIG @see kernel-specs/run-kinds.md RK-41 */
function assertMatches(inputs: unknown): true {
  const { actual, pattern: source, flags } = plainObject(inputs);
  if (typeof actual === 'string' && holds(actual, String(source), typeof flags === 'string' ? flags : '')) return true;
  throw assertionFailed(`Expected text that matches /${String(source)}/, got ${shown(actual)}`, {
    actual,
    pattern: source,
  });
}

/** Searched in time in proportion to the text, whatever the pattern: the text may come from a model. */
function holds(text: string, source: string, flags: string): boolean {
  try {
    return pattern(source, flags).find(text) !== undefined;
  } catch (error) {
    const state = error instanceof Error ? error.message : String(error);
    throw invalidConfig(`Cannot match ${shown(source)}: ${state}`, 'Correct the pattern or its flags.', error);
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
      pattern: {
        title: 'Pattern',
        description: 'A regular expression in RE2 syntax, without slashes.',
        type: 'string',
      },
      flags: { title: 'Flags', description: 'Flags of the expression: i, m or s.', type: 'string' },
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

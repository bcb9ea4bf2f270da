import { plainObject } from '../../graph/plain.ts';
import type { KindDefinition } from '../kind.ts';
import { sameData, shown } from './compare.ts';
import { assertionFailed } from './failure.ts';

/** `Assert.Equals`. Pure. @throws InvokeError ERR_ASSERTION_FAILED @see kernel-specs/run-kinds.md RK-40 */
function assertEquals(inputs: unknown): true {
  const { actual, expected } = plainObject(inputs);
  if (sameData(actual, expected)) return true;
  throw assertionFailed(`Expected ${shown(expected)}, got ${shown(actual)}`, { actual, expected });
}

export const equals: KindDefinition = {
  module: 'Assert',
  name: 'Equals',
  description: 'Holds when two values are deeply equal; 3 equals 3 as integer and as double.',
  capability: 'Telo.Invocable',
  schema: { type: 'object', additionalProperties: false, properties: {} },
  inputType: {
    type: 'object',
    required: ['actual', 'expected'],
    additionalProperties: false,
    properties: {
      actual: { title: 'Actual', description: 'What was found.' },
      expected: { title: 'Expected', description: 'What it must equal.' },
    },
  },
  outputType: { type: 'boolean' },
  throws: { codes: { ERR_ASSERTION_FAILED: { description: 'The values differ.' } } },
  controller: () => Promise.resolve({ create: () => ({ invoke: async (inputs) => assertEquals(inputs) }) }),
};

import { isPlainObject, plainObject } from '../../graph/plain.ts';
import type { KindDefinition } from '../kind.ts';
import { sameData, shown } from './compare.ts';
import { assertionFailed, invalidConfig } from './failure.ts';

/** `Assert.Contains`. Pure. @throws InvokeError ERR_ASSERTION_FAILED, ERR_INVALID_CONFIG @see kernel-specs/run-kinds.md RK-42 */
function assertContains(inputs: unknown): true {
  const { actual, value } = plainObject(inputs);
  if (contains(actual, value)) return true;
  throw assertionFailed(`Expected ${shown(actual)} to contain ${shown(value)}`, { actual, value });
}

function contains(actual: unknown, value: unknown): boolean {
  if (typeof actual === 'string') return typeof value === 'string' && actual.includes(value);
  if (Array.isArray(actual)) return actual.some((item) => sameData(item, value));
  if (isPlainObject(actual)) return typeof value === 'string' && Object.hasOwn(actual, value);
  throw invalidConfig(
    `Cannot look into ${shown(actual)}: it is no text, list or map`,
    'Give a text, a list or a map as actual.',
  );
}

export const containsKind: KindDefinition = {
  module: 'Assert',
  name: 'Contains',
  description: 'Holds when a text has a part, a list an element, or a map a key.',
  capability: 'Telo.Invocable',
  schema: { type: 'object', additionalProperties: false, properties: {} },
  inputType: {
    type: 'object',
    required: ['actual', 'value'],
    additionalProperties: false,
    properties: {
      actual: { title: 'Actual', description: 'A text, a list or a map.' },
      value: { title: 'Value', description: 'The part, element or key.' },
    },
  },
  outputType: { type: 'boolean' },
  throws: {
    codes: {
      ERR_ASSERTION_FAILED: { description: 'The value is not contained.' },
      ERR_INVALID_CONFIG: { description: 'What was given can contain nothing.' },
    },
  },
  controller: () => Promise.resolve({ create: () => ({ invoke: async (inputs) => assertContains(inputs) }) }),
};

import type { KindDefinition } from '../../kinds/kind.ts';
import { steps } from './fields.ts';

export const idempotent: KindDefinition = {
  module: 'Durable',
  name: 'Idempotent',
  description: 'A body that does no harm when it is repeated: it is on record as a whole, not step by step.',
  capability: 'Telo.Invocable',
  schema: {
    type: 'object',
    additionalProperties: false,
    required: ['reason', 'steps'],
    properties: {
      reason: {
        title: 'Reason',
        description: 'Why the body may be repeated, in a sentence.',
        type: 'string',
        minLength: 1,
      },
      inputs: {
        title: 'Inputs',
        description: 'What the steps see as `inputs`, over the inputs of the call. Empty where it is not stated.',
        type: 'object',
        'x-telo-eval': 'runtime',
        'x-telo-context': { inputs: {} },
      },
      steps: steps('What is done.', { idempotent: 'The author states that repeating the body changes nothing.' }),
    },
  },
  outputType: { type: 'object', required: ['steps'], properties: { steps: { type: 'object' } } },
  throws: { inherit: true },
  controller: () => import('../idempotent.ts'),
};

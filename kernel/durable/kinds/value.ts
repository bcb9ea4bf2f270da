import type { KindDefinition } from '../../kinds/kind.ts';
import { codes, inDurableRun } from './fields.ts';

export const value: KindDefinition = {
  module: 'Durable',
  name: 'Value',
  description: 'Reads something that may change, such as the clock, once for the whole run.',
  capability: 'Telo.Invocable',
  schema: {
    type: 'object',
    additionalProperties: false,
    required: ['value'],
    properties: {
      value: {
        title: 'Value',
        description: 'What is read, over the inputs of the call.',
        'x-telo-eval': 'runtime',
        'x-telo-context': { inputs: {} },
      },
      outputType: { title: 'Output type', description: 'What the value is.' },
    },
    'x-telo-requires-zone': inDurableRun('Only a durable run remembers what was read.'),
  },
  throws: codes({ ERR_DURABLE_NO_RUN: 'The value is read outside a durable run.' }),
  controller: () => import('../value.ts'),
};

import type { KindDefinition } from '../../kinds/kind.ts';
import { codes, JOURNAL, RUN } from './fields.ts';

export const status: KindDefinition = {
  module: 'DurableLocal',
  name: 'Status',
  description: 'How a run stands.',
  capability: 'Telo.Invocable',
  schema: {
    type: 'object',
    additionalProperties: false,
    required: ['journal'],
    properties: { journal: JOURNAL, run: RUN },
  },
  throws: codes({ ERR_DURABLE_RUN_ID_INVALID: 'The run id is no string with content.' }),
  controller: () => import('../status.ts'),
};

import type { KindDefinition } from '../../kinds/kind.ts';
import { codes, JOURNAL, REASON, RUN } from './fields.ts';

export const cancel: KindDefinition = {
  module: 'DurableLocal',
  name: 'Cancel',
  description: 'Ends a run for good. What it is doing at the moment is not recorded any more.',
  capability: 'Telo.Invocable',
  schema: {
    type: 'object',
    additionalProperties: false,
    required: ['journal'],
    properties: { journal: JOURNAL, run: RUN, reason: REASON },
  },
  throws: codes({ ERR_DURABLE_RUN_ID_INVALID: 'The run id is no string with content.' }),
  controller: () => import('../cancel.ts'),
};

import type { KindDefinition } from '../../kinds/kind.ts';
import { codes, REASON, RUN, WORKFLOW } from './fields.ts';

export const resume: KindDefinition = {
  module: 'DurableLocal',
  name: 'Resume',
  description: 'Makes a run due, whatever it waits for, and records that. A Resumer executes it.',
  capability: 'Telo.Invocable',
  schema: {
    type: 'object',
    additionalProperties: false,
    required: ['workflow'],
    properties: { workflow: WORKFLOW, run: RUN, reason: REASON },
  },
  throws: codes({
    ERR_DURABLE_RUN_ID_INVALID: 'The run id is no string with content.',
    ERR_DURABLE_RUN_NOT_FOUND: 'The journal does not know the run.',
  }),
  controller: () => import('../resume.ts'),
};

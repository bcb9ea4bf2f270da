import type { KindDefinition } from '../../kinds/kind.ts';
import { DURATION_PATTERN, WORKFLOW } from './fields.ts';

export const resumer: KindDefinition = {
  module: 'DurableLocal',
  name: 'Resumer',
  description: 'Executes the runs of a workflow whenever they are due, as long as the application runs.',
  capability: 'Telo.Service',
  schema: {
    type: 'object',
    additionalProperties: false,
    required: ['workflow'],
    properties: {
      workflow: WORKFLOW,
      interval: {
        title: 'Interval',
        description: 'How long between two sweeps, as a number and one of ms, s, m, h, d.',
        type: 'string',
        pattern: DURATION_PATTERN,
        default: '5s',
        'x-telo-eval': 'compile',
      },
    },
  },
  controller: () => import('../resumer.ts'),
};

import type { KindDefinition } from '../../kinds/kind.ts';
import { codes, DURATION_PATTERN, WORKFLOW } from './fields.ts';

const EVALUATED = { 'x-telo-eval': 'runtime', 'x-telo-context': { inputs: {} } };

export const schedule: KindDefinition = {
  module: 'DurableLocal',
  name: 'Schedule',
  description: 'Admits a run that begins later. A Resumer of the workflow executes it.',
  capability: 'Telo.Invocable',
  schema: {
    type: 'object',
    additionalProperties: false,
    required: ['workflow'],
    oneOf: [{ required: ['after'] }, { required: ['at'] }],
    properties: {
      workflow: WORKFLOW,
      runId: {
        title: 'Run id',
        description: 'Id of the run, over the inputs of the call; where it is not stated, as the workflow says.',
        type: 'string',
        ...EVALUATED,
      },
      after: {
        title: 'After',
        description: 'How long from now, as a number and one of ms, s, m, h, d.',
        type: 'string',
        pattern: DURATION_PATTERN,
        ...EVALUATED,
      },
      at: {
        title: 'At',
        description: 'When, as epoch milliseconds or an ISO date. What is past is due at once.',
        type: ['number', 'string'],
        ...EVALUATED,
      },
      inputs: {
        title: 'Inputs',
        description: 'What the run is called with, over the inputs of the call. Empty where it is not stated.',
        type: 'object',
        ...EVALUATED,
      },
    },
  },
  outputType: {
    type: 'object',
    additionalProperties: false,
    required: ['runId', 'scheduled'],
    properties: {
      runId: { type: 'string' },
      scheduled: { type: 'boolean' },
      dueAt: { type: 'number', description: 'Epoch milliseconds.' },
      status: { type: 'string', description: 'How the run of that id stands that existed already.' },
    },
  },
  throws: codes({
    ERR_DURABLE_SCHEDULE_INVALID: 'Not exactly one of after and at is stated, or at is no instant.',
    ERR_INVALID_VALUE: 'The duration cannot be read.',
    ERR_DURABLE_RUN_ID_INVALID: 'The run id is no string with content.',
    ERR_DURABLE_RUN_EXISTS: 'A run of another workflow has that id.',
  }),
  controller: () => import('../schedule.ts'),
};

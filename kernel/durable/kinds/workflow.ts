import type { KindDefinition } from '../../kinds/kind.ts';
import { codes, JOURNAL, steps } from './fields.ts';

export const workflow: KindDefinition = {
  module: 'DurableLocal',
  name: 'Workflow',
  description: 'A body of steps executed as a durable run: what is done is on record, and is not done again.',
  capability: 'Telo.Invocable',
  extends: ['Durable.Run'],
  schema: {
    type: 'object',
    additionalProperties: false,
    required: ['journal', 'steps'],
    properties: {
      journal: JOURNAL,
      runId: {
        title: 'Run id',
        description: 'Id of the run, over the inputs of the call. A call with the id of a run joins that run.',
        type: 'string',
        'x-telo-eval': 'runtime',
        'x-telo-context': { inputs: {} },
      },
      onConflict: {
        title: 'On conflict',
        description: 'What a call with the id of an existing run does.',
        type: 'string',
        enum: ['attach', 'reject'],
        default: 'attach',
      },
      inputs: {
        title: 'Inputs',
        description: 'What the steps see as `inputs`, over the inputs of the call. Empty where it is not stated.',
        type: 'object',
        'x-telo-eval': 'runtime',
        'x-telo-context': { inputs: {} },
      },
      steps: steps('What the run does.', {
        replayed: 'A durable run is executed again from its journal after every interruption.',
      }),
    },
  },
  throws: codes({
    ERR_DURABLE_RUN_ID_INVALID: 'The run id is no string with content.',
    ERR_DURABLE_RUN_EXISTS: 'A run of that id exists, and the call may not join it.',
    ERR_DURABLE_RUN_FAILED: 'The run of that id failed without a code.',
    ERR_DURABLE_RUN_FOREIGN: 'Another kernel started the run of that id, and records it under other paths.',
    ERR_DURABLE_MANIFEST_CHANGED: 'The run of that id began with another version of this workflow.',
  }),
  controller: () => import('../workflow.ts'),
};

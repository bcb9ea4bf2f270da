import type { KindDefinition } from '../../kinds/kind.ts';
import { codes, DURATION_PATTERN, JOURNAL, RUN } from './fields.ts';

export const result: KindDefinition = {
  module: 'DurableLocal',
  name: 'Result',
  description: 'What came of a run; waits for it where that is asked for.',
  capability: 'Telo.Invocable',
  schema: {
    type: 'object',
    additionalProperties: false,
    required: ['journal'],
    properties: {
      journal: JOURNAL,
      run: RUN,
      wait: {
        title: 'Wait',
        description: 'How long to wait for the end of the run, as a number and one of ms, s, m, h, d.',
        type: 'string',
        pattern: DURATION_PATTERN,
        'x-telo-eval': 'runtime',
        'x-telo-context': { inputs: {} },
      },
      poll: {
        title: 'Poll',
        description: 'Milliseconds between two looks, or a duration.',
        type: ['number', 'string'],
        default: 100,
        'x-telo-eval': 'runtime',
        'x-telo-context': { inputs: {} },
      },
    },
  },
  throws: codes({
    ERR_DURABLE_RUN_ID_INVALID: 'The run id is no string with content.',
    ERR_INVALID_VALUE: 'A duration cannot be read.',
  }),
  controller: () => import('../result.ts'),
};

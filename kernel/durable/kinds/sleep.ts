import type { KindDefinition } from '../../kinds/kind.ts';
import { codes, DURATION_PATTERN, inDurableRun } from './fields.ts';

export const sleep: KindDefinition = {
  module: 'Durable',
  name: 'Sleep',
  description: 'Suspends the run until an instant, which is fixed when the step is reached first.',
  capability: 'Telo.Invocable',
  schema: {
    type: 'object',
    additionalProperties: false,
    properties: {
      for: {
        title: 'For',
        description: 'How long, as a number and one of ms, s, m, h, d.',
        type: 'string',
        pattern: DURATION_PATTERN,
        'x-telo-eval': 'runtime',
        'x-telo-context': { inputs: {} },
      },
      until: {
        title: 'Until',
        description: 'When, as epoch milliseconds or an ISO date.',
        type: ['number', 'string'],
        'x-telo-eval': 'runtime',
        'x-telo-context': { inputs: {} },
      },
    },
    'x-telo-requires-zone': inDurableRun('Only a durable run can be left and entered again.'),
    'x-telo-violates-zone': { noSuspend: 'Durable.Sleep suspends the run.' },
  },
  outputType: {
    type: 'object',
    additionalProperties: false,
    required: ['wokeAt'],
    properties: { wokeAt: { type: 'number', description: 'Epoch milliseconds.' } },
  },
  throws: codes({
    ERR_DURABLE_NO_RUN: 'The sleep is outside a durable run.',
    ERR_DURABLE_SLEEP_INVALID: 'Not exactly one of for and until is stated, or until is no instant.',
    ERR_INVALID_VALUE: 'The duration cannot be read.',
    ERR_DURABLE_SUSPEND_FORBIDDEN: 'A zone around the step forbids to suspend.',
  }),
  controller: () => import('../sleep.ts'),
};

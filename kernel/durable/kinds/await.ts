import type { KindDefinition } from '../../kinds/kind.ts';
import { codes, DURATION_PATTERN, inDurableRun } from './fields.ts';

export const awaitKind: KindDefinition = {
  module: 'Durable',
  name: 'Await',
  description: 'Suspends the run until somebody answers; the answer is the value of the step.',
  capability: 'Telo.Invocable',
  schema: {
    type: 'object',
    additionalProperties: false,
    properties: {
      outputType: {
        title: 'Output type',
        description: 'What an answer must be. It is recorded with the wait, so that every way of answering checks it.',
      },
      token: {
        title: 'Token',
        description:
          'What an answer names the wait by, over the inputs of the call. Unguessable where it is not stated.',
        type: 'string',
        'x-telo-eval': 'runtime',
        'x-telo-context': { inputs: {} },
      },
      timeout: {
        title: 'Timeout',
        description:
          'How long the wait is open, as a number and one of ms, s, m, h, d. An input `timeout` of the call wins.',
        type: 'string',
        pattern: DURATION_PATTERN,
        'x-telo-eval': 'runtime',
        'x-telo-context': { inputs: {} },
      },
    },
    'x-telo-requires-zone': inDurableRun('Only a durable run can be left and entered again.'),
    'x-telo-violates-zone': { noSuspend: 'Durable.Await suspends the run.' },
  },
  throws: codes({
    ERR_DURABLE_NO_RUN: 'The wait is outside a durable run.',
    ERR_DURABLE_AWAIT_TIMEOUT: 'No answer came in time. Its deadline is fixed: list the code under nonRetryable.',
    ERR_DURABLE_TOKEN_REQUIRED: 'The stated token is no string with content.',
    ERR_INVALID_VALUE: 'The timeout cannot be read.',
    ERR_DURABLE_SUSPEND_FORBIDDEN: 'A zone around the step forbids to suspend.',
  }),
  controller: () => import('../await.ts'),
};

import type { KindDefinition } from '../../kinds/kind.ts';
import { codes, JOURNAL } from './fields.ts';

export const deliver: KindDefinition = {
  module: 'DurableLocal',
  name: 'Deliver',
  description: 'Gives an answer to the open wait of a token. The first answer counts.',
  capability: 'Telo.Invocable',
  schema: {
    type: 'object',
    additionalProperties: false,
    required: ['journal', 'token'],
    properties: {
      journal: JOURNAL,
      token: {
        title: 'Token',
        description: 'Token of the wait, over the inputs of the call.',
        type: 'string',
        'x-telo-eval': 'runtime',
        'x-telo-context': { inputs: {} },
      },
      payload: {
        title: 'Payload',
        description: 'The answer, over the inputs of the call.',
        'x-telo-eval': 'runtime',
        'x-telo-context': { inputs: {} },
      },
      await: {
        title: 'Await',
        description: 'The wait whose outputType the answer must satisfy before it is given.',
        'x-telo-ref': { kind: 'Durable.Await', use: 'schema' },
      },
    },
  },
  outputType: {
    type: 'object',
    additionalProperties: false,
    required: ['delivered'],
    properties: { delivered: { type: 'boolean' }, run: { type: 'string' } },
  },
  throws: codes({
    ERR_DURABLE_TOKEN_REQUIRED: 'The token is no string with content.',
    ERR_DURABLE_PAYLOAD_INVALID: 'The answer is not what the wait asks for.',
  }),
  controller: () => import('../deliver.ts'),
};

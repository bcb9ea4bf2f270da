import type { KindDefinition } from '../kind.ts';

const DURATION = { type: 'string', pattern: '^\\s*\\d+(\\.\\d+)?\\s*(ms|s|m|h)\\s*$' } as const;

/** `AiOpenai.OpenaiModel`. @see kernel-specs/models.md */
export const openaiModel: KindDefinition = {
  module: 'AiOpenai',
  name: 'OpenaiModel',
  description: 'A language model behind an OpenAI-compatible endpoint for chat completions.',
  capability: 'Telo.Provider',
  extends: ['Ai.Model'],
  schema: {
    type: 'object',
    additionalProperties: false,
    required: ['model', 'apiKey'],
    properties: {
      model: {
        title: 'Model',
        description: 'Name of the model, as the endpoint knows it.',
        type: 'string',
        minLength: 1,
      },
      apiKey: {
        title: 'API key',
        description: 'The key, from a secret: `!cel secrets.openaiKey`. It is sent to baseUrl and shown nowhere.',
        type: 'string',
        minLength: 1,
      },
      baseUrl: {
        title: 'Base URL',
        description: 'Where the endpoint is, up to what comes before `/chat/completions`.',
        type: 'string',
        default: 'https://api.openai.com/v1',
      },
      allowInsecure: {
        title: 'Allow insecure',
        description: 'Lets the key travel unencrypted to an endpoint that is not on this machine.',
        type: 'boolean',
        default: false,
      },
      options: {
        title: 'Options',
        description: 'What every request states, such as temperature and maxTokens; a request may state others.',
        type: 'object',
      },
      streaming: {
        title: 'Streaming',
        description: 'Lets invoke ask for a stream, so that the idle time limit holds, and tells the event Progress.',
        type: 'boolean',
        default: false,
      },
      timeouts: {
        title: 'Timeouts',
        description: 'How long is waited; durations such as 30s. A connection has ten seconds.',
        type: 'object',
        additionalProperties: false,
        properties: {
          response: { title: 'Response', description: 'Until an answer begins.', default: '5m', ...DURATION },
          idle: { title: 'Idle', description: 'Between two pieces of an answer.', default: '60s', ...DURATION },
          total: { title: 'Total', description: 'The whole call, its retries included.', default: '10m', ...DURATION },
        },
      },
      retry: {
        title: 'Retry',
        description: 'How a request is sent again that found the endpoint busy or away, before anything was answered.',
        type: 'object',
        additionalProperties: false,
        properties: {
          attempts: {
            title: 'Attempts',
            description: 'How often it is sent again.',
            type: 'integer',
            minimum: 0,
            maximum: 10,
            default: 2,
          },
          initialDelay: { title: 'Initial delay', description: 'The first wait.', default: '500ms', ...DURATION },
          maxDelay: {
            title: 'Maximal delay',
            description: 'The longest wait. An endpoint that asks for a longer one is not asked again.',
            default: '30s',
            ...DURATION,
          },
        },
      },
      maxResponseBytes: {
        title: 'Maximal response bytes',
        description: 'Bytes of one answer, after decompression.',
        type: 'integer',
        minimum: 1,
        maximum: 67_108_864,
        default: 8_388_608,
      },
    },
  },
  controller: () => import('./instance.ts'),
};

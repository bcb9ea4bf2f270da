type Schema = Readonly<Record<string, unknown>>;

const text: Schema = { type: 'string' };
const texts: Schema = { type: 'array', items: text };
const open: Schema = { type: 'object' };
const names: Schema = { type: 'object', additionalProperties: { type: 'object' } };

const bound: Schema = {
  type: 'object',
  additionalProperties: {
    type: 'object',
    required: ['env', 'type'],
    properties: { env: text, type: { enum: ['string', 'integer', 'number', 'boolean', 'object', 'array'] } },
  },
};

const imports: Schema = {
  type: 'object',
  additionalProperties: {
    oneOf: [
      text,
      {
        type: 'object',
        required: ['source'],
        additionalProperties: false,
        properties: {
          source: text,
          integrity: text,
          variables: open,
          secrets: open,
          runtime: { oneOf: [text, texts] },
          logging: open,
        },
      },
    ],
  },
};

const requires: Schema = {
  type: 'object',
  additionalProperties: false,
  properties: { telo: text, host: open },
};

/** `files`, `assets` and `layers` belong to publishing; they are accepted as written. */
const shared: Schema = { imports, include: texts, files: {}, assets: {}, layers: {}, requires };

/** Members of a Telo.Application beside kind and metadata. */
export const APPLICATION: Schema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    ...shared,
    lifecycle: { enum: ['shared', 'isolated'] },
    variables: bound,
    secrets: bound,
    ports: {
      type: 'object',
      additionalProperties: {
        type: 'object',
        required: ['env'],
        additionalProperties: false,
        properties: {
          env: text,
          protocol: { enum: ['tcp', 'udp'] },
          default: { type: 'integer', minimum: 1, maximum: 65535 },
        },
      },
    },
    targets: { type: 'array' },
    logging: open,
  },
};

/** Members of a Telo.Library beside kind and metadata. */
export const LIBRARY: Schema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    ...shared,
    variables: names,
    secrets: names,
    exports: {
      type: 'object',
      additionalProperties: false,
      properties: { kinds: texts, resources: texts, code: { type: 'array', items: open } },
    },
  },
};

/** What a zone can promise. */
export const ZONE_ATTRIBUTES: readonly string[] = ['atomic', 'idempotent', 'noSuspend', 'replayed'];

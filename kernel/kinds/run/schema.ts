/** The parts that schemas of Run kinds share. Steps are a language of their own: the checker and the engine know it. */

type Schema = Readonly<Record<string, unknown>>;

/** A body: a list of steps. */
export const STEPS: Schema = {
  title: 'Steps',
  description: 'What is done, in order.',
  type: 'array',
  items: { $ref: 'telo://manifest#/$defs/Step' },
  'x-telo-topology-role': 'steps',
  'x-telo-eval': 'runtime',
};

/** A contract: `!ref` of a type, its name, or a schema in place. */
export const TYPE: Schema = {
  title: 'Type',
  description: 'A type by reference or name, or a JSON Schema in place.',
};

/** Names for parts of what is evaluated. */
export const BINDINGS: Schema = {
  title: 'Bindings',
  description: 'Names for parts of the value, each evaluated once and only when it is named.',
  type: 'object',
  'x-telo-eval': 'runtime',
  'x-telo-context': { inputs: {} },
  'x-telo-bindings-from': 'bindings',
};

/** How many elements are worked on at once. */
export const CONCURRENCY: Schema = {
  title: 'Concurrency',
  description: 'How many elements are worked on at once; default 1.',
  'x-telo-eval': 'runtime',
  'x-telo-context': { inputs: {} },
};

/** Rows that answer for a failure of the whole operation. */
export const CATCHES: Schema = {
  title: 'Catches',
  description: 'The first row whose `when` holds supplies the value in place of a failure.',
  type: 'array',
  items: {
    type: 'object',
    additionalProperties: false,
    properties: {
      when: { description: 'Condition over `error` and `inputs`; absent: always.' },
      value: { description: 'What is answered; absent: null.' },
    },
  },
  'x-telo-eval': 'runtime',
  'x-telo-context': { error: {}, inputs: {} },
};

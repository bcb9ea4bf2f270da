import { InvokeError } from '@telorun/sdk';
import type { ResourceContext, ResourceInstance, ResourceManifest } from '@telorun/sdk';
import { isPlainObject } from '../../graph/plain.ts';
import type { KindDefinition } from '../kind.ts';
import { withBindings } from './bindings.ts';
import { BINDINGS, TYPE } from './schema.ts';

/** `Run.Choice`. @see kernel-specs/run-kinds.md RK-12 */
class Choice implements ResourceInstance {
  readonly #resource: ResourceManifest;
  readonly #ctx: ResourceContext;

  constructor(resource: ResourceManifest, ctx: ResourceContext) {
    this.#resource = resource;
    this.#ctx = ctx;
  }

  /** Answers the value of the first row that holds. Pure: nothing of it is on record but what the step answers. */
  async invoke(inputs: unknown): Promise<unknown> {
    const { choices, bindings, default: otherwise, metadata } = this.#resource;
    const expand = withBindings(this.#ctx, { bindings, scope: { inputs } });
    for (const [index, row] of (Array.isArray(choices) ? choices.filter(isPlainObject) : []).entries()) {
      const holds = expand(row['when']);
      if (typeof holds !== 'boolean') throw invalidPredicate(metadata.name, index);
      if (holds) return expand(row['value']);
    }
    if (isPlainObject(otherwise)) return expand(otherwise['value']);
    throw new InvokeError(
      'ERR_NO_MATCH',
      `Cannot choose in "${metadata.name}": no row holds, and there is no default`,
      {
        resource: metadata.name,
        hint: 'Add a row for this case, or a default.',
      },
    );
  }
}

function invalidPredicate(resource: string, row: number): InvokeError {
  return new InvokeError(
    'ERR_INVALID_PREDICATE',
    `Cannot choose in "${resource}": "when" of row ${row} is neither true nor false`,
    { resource, row, hint: 'Compare, so that the condition answers true or false.' },
  );
}

const VALUE = {
  title: 'Value',
  description: 'What is answered, over `inputs` and the bindings.',
  'x-telo-eval': 'runtime',
  'x-telo-context': { inputs: {} },
  'x-telo-bindings-from': 'bindings',
} as const;

export const choice: KindDefinition = {
  module: 'Run',
  name: 'Choice',
  description: 'Answers the value of the first row whose condition holds.',
  capability: 'Telo.Invocable',
  schema: {
    type: 'object',
    required: ['choices'],
    additionalProperties: false,
    properties: {
      choices: {
        title: 'Choices',
        description: 'The rows, tried in order.',
        type: 'array',
        items: {
          type: 'object',
          required: ['when', 'value'],
          additionalProperties: false,
          properties: {
            when: { ...VALUE, title: 'When', description: 'Whether the row is chosen: true or false.' },
            value: VALUE,
          },
        },
      },
      default: {
        title: 'Default',
        description: 'What is answered where no row holds; without it that is ERR_NO_MATCH.',
        type: 'object',
        required: ['value'],
        additionalProperties: false,
        properties: { value: VALUE },
      },
      bindings: BINDINGS,
      inputType: TYPE,
      outputType: TYPE,
    },
  },
  throws: {
    codes: {
      ERR_INVALID_PREDICATE: { description: 'A condition is neither true nor false.' },
      ERR_NO_MATCH: { description: 'No row holds, and there is no default.' },
      ERR_BINDING_CYCLE: { description: 'Bindings name each other.' },
    },
  },
  controller: () => Promise.resolve({ create: (resource, ctx) => new Choice(resource, ctx) }),
};

import type { ResourceContext, ResourceInstance, ResourceManifest } from '@telorun/sdk';
import type { KindDefinition } from '../kind.ts';
import { withBindings } from './bindings.ts';
import { BINDINGS, TYPE } from './schema.ts';

/** `Run.Value`. @see kernel-specs/run-kinds.md RK-10 */
class Value implements ResourceInstance {
  readonly #resource: ResourceManifest;
  readonly #ctx: ResourceContext;

  constructor(resource: ResourceManifest, ctx: ResourceContext) {
    this.#resource = resource;
    this.#ctx = ctx;
  }

  /** Answers the expanded value. */
  async invoke(inputs: unknown): Promise<unknown> {
    const { value, bindings } = this.#resource;
    return withBindings(this.#ctx, { bindings, scope: { inputs } })(value);
  }
}

export const value: KindDefinition = {
  module: 'Run',
  name: 'Value',
  description: 'Answers a value computed from its inputs.',
  capability: 'Telo.Invocable',
  schema: {
    type: 'object',
    required: ['value'],
    additionalProperties: false,
    properties: {
      value: {
        title: 'Value',
        description: 'What is answered, over `inputs` and the bindings.',
        'x-telo-eval': 'runtime',
        'x-telo-context': { inputs: {} },
        'x-telo-bindings-from': 'bindings',
      },
      bindings: BINDINGS,
      inputType: TYPE,
      outputType: TYPE,
    },
  },
  controller: () => Promise.resolve({ create: (resource, ctx) => new Value(resource, ctx) }),
};

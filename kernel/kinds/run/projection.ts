import type { InvokeContext, ResourceContext, ResourceInstance, ResourceManifest } from '@telorun/sdk';
import type { KindDefinition } from '../kind.ts';
import { overElements } from './elements.ts';
import { RepeatedBody } from './repeated-body.ts';
import { CATCHES, CONCURRENCY, STEPS, TYPE } from './schema.ts';

/** `Run.Projection`. @see kernel-specs/run-kinds.md RK-26 */
class Projection implements ResourceInstance {
  readonly #body: RepeatedBody;

  constructor(resource: ResourceManifest, ctx: ResourceContext) {
    this.#body = new RepeatedBody(resource, ctx);
  }

  init(): void {
    this.#body.init();
  }

  /** Answers what came of every element, in the order of the collection whatever ended first. */
  async invoke(inputs: unknown, ctx?: InvokeContext): Promise<unknown> {
    return this.#body.guarded({ inputs, ctx }, () => this.#project(inputs, ctx));
  }

  async run(ctx?: InvokeContext): Promise<void> {
    await this.invoke({}, ctx);
  }

  async #project(inputs: unknown, ctx: InvokeContext | undefined): Promise<unknown[]> {
    const { outputs } = this.#body.resource;
    const projected: unknown[] = [];
    await overElements(this.#body, { inputs, ctx, streams: false }, ({ index, scope, steps }) => {
      projected[index] = outputs === undefined ? steps : this.#body.ctx.expandValue(outputs, { ...scope, steps });
    });
    return projected;
  }
}

export const projection: KindDefinition = {
  module: 'Run',
  name: 'Projection',
  description: 'Does its steps for every element of a list and answers what came of each.',
  capability: 'Telo.Runnable',
  schema: {
    type: 'object',
    required: ['collection', 'steps'],
    additionalProperties: false,
    properties: {
      collection: {
        title: 'Collection',
        description: 'The elements: a list.',
        'x-telo-eval': 'runtime',
        'x-telo-context': { inputs: {} },
      },
      concurrency: CONCURRENCY,
      steps: { ...STEPS, 'x-telo-context': { item: {}, index: {}, items: {} } },
      outputs: {
        title: 'Outputs',
        description:
          'What is answered for an element, over its `steps`, `item`, `index`. Absent: each step as `{result}`.',
        'x-telo-eval': 'runtime',
        'x-telo-context': { inputs: {}, steps: {}, item: {}, index: {}, items: {} },
      },
      catches: CATCHES,
      inputType: TYPE,
      outputType: TYPE,
    },
  },
  throws: {
    codes: {
      INVALID_COLLECTION: { description: 'The collection is no list.' },
      INVALID_CONCURRENCY: { description: 'The concurrency is no whole number from 1.' },
    },
    inherit: true,
  },
  controller: () => Promise.resolve({ create: (resource, ctx) => new Projection(resource, ctx) }),
};

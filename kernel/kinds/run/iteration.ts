import type { InvokeContext, ResourceContext, ResourceInstance, ResourceManifest } from '@telorun/sdk';
import type { KindDefinition } from '../kind.ts';
import { overElements } from './elements.ts';
import { RepeatedBody } from './repeated-body.ts';
import { CATCHES, CONCURRENCY, STEPS, TYPE } from './schema.ts';

/** `Run.Iteration`. @see kernel-specs/run-kinds.md RK-20 */
class Iteration implements ResourceInstance {
  readonly #body: RepeatedBody;

  constructor(resource: ResourceManifest, ctx: ResourceContext) {
    this.#body = new RepeatedBody(resource, ctx);
  }

  init(): void {
    this.#body.init();
  }

  /** Does the steps for every element; answers nothing. */
  async invoke(inputs: unknown, ctx?: InvokeContext): Promise<unknown> {
    return this.#body.guarded({ inputs, ctx }, async () => overElements(this.#body, { inputs, ctx, streams: true }));
  }

  async run(ctx?: InvokeContext): Promise<void> {
    await this.invoke({}, ctx);
  }
}

export const iteration: KindDefinition = {
  module: 'Run',
  name: 'Iteration',
  description: 'Does its steps for every element of a collection.',
  capability: 'Telo.Runnable',
  schema: {
    type: 'object',
    required: ['collection', 'steps'],
    additionalProperties: false,
    properties: {
      collection: {
        title: 'Collection',
        description: 'The elements: a list, or a live stream outside durable runs.',
        'x-telo-eval': 'runtime',
        'x-telo-context': { inputs: {} },
      },
      concurrency: CONCURRENCY,
      steps: { ...STEPS, 'x-telo-context': { item: {}, index: {}, items: {} } },
      catches: CATCHES,
      inputType: TYPE,
    },
  },
  controller: () => Promise.resolve({ create: (resource, ctx) => new Iteration(resource, ctx) }),
};

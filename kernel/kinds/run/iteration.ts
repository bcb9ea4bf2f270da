import {
  bodyPath,
  durableHandleOf,
  InvokeError,
  journalingSuppressed,
  repeatPath,
  StepEngine,
  stepPath,
  withCatches,
} from '@telorun/sdk';
import type { InvokeContext, ResourceContext, ResourceInstance, ResourceManifest } from '@telorun/sdk';
import type { KindDefinition } from '../kind.ts';
import { fanOut } from './fan-out.ts';
import { CATCHES, STEPS, TYPE } from './schema.ts';

/** `Run.Iteration`. @see kernel-specs/run-kinds.md RK-20 */
class Iteration implements ResourceInstance {
  readonly #resource: ResourceManifest;
  readonly #ctx: ResourceContext;
  readonly #engine: StepEngine;

  constructor(resource: ResourceManifest, ctx: ResourceContext) {
    this.#resource = resource;
    this.#ctx = ctx;
    this.#engine = new StepEngine(ctx, { kind: resource.kind, resourceName: resource.metadata.name });
  }

  init(): void {
    this.#engine.resolveInvokes(this.#resource['steps']);
  }

  /** Does the steps for every element; answers nothing. */
  async invoke(inputs: unknown, ctx?: InvokeContext): Promise<unknown> {
    const { catches, metadata } = this.#resource;
    if (catches === undefined) return this.#iterate(inputs, ctx);
    const guarded = { ctx: this.#ctx, resourceName: metadata.name, catches, cel: { inputs } };
    return withCatches(ctx === undefined ? guarded : { ...guarded, invokeCtx: ctx }, () => this.#iterate(inputs, ctx));
  }

  async run(ctx?: InvokeContext): Promise<void> {
    await this.invoke({}, ctx);
  }

  async #iterate(inputs: unknown, ctx: InvokeContext | undefined): Promise<undefined> {
    const base = bodyPath(ctx);
    const collection = await this.#collection(inputs, base, ctx);
    const items = Array.isArray(collection) ? collection : undefined;
    const options = { concurrency: this.#concurrency(inputs), stopped: () => ctx?.cancellation.isCancelled === true };
    await fanOut(collection, options, async (item, index) => {
      const scope = { inputs, item, index: BigInt(index), ...(items === undefined ? {} : { items }) };
      await this.#engine.executeSteps(this.#resource['steps'], {}, undefined, scope, ctx, repeatPath(base, index));
    });
    ctx?.cancellation.throwIfCancelled();
    return undefined;
  }

  /** Inside a run the collection is recorded: a continuation walks the same elements. */
  async #collection(
    inputs: unknown,
    base: string,
    ctx: InvokeContext | undefined,
  ): Promise<unknown[] | AsyncIterable<unknown>> {
    const compute = (): unknown => this.#ctx.expandValue(this.#resource['collection'], { inputs });
    const handle = durableHandleOf(ctx);
    const recording = handle !== undefined && !journalingSuppressed(this.#ctx, ctx, handle);
    const collection = recording ? await handle.decide(stepPath(base, 'collection'), 'collection', compute) : compute();
    if (Array.isArray(collection)) return collection;
    if (isAsyncIterable(collection)) return collection;
    throw new InvokeError(
      'INVALID_COLLECTION',
      `Cannot iterate in "${this.#resource.metadata.name}": the collection is not a list`,
      {
        resource: this.#resource.metadata.name,
        hint: 'Let the collection answer a list.',
      },
    );
  }

  #concurrency(inputs: unknown): number {
    const value = this.#ctx.expandValue(this.#resource['concurrency'] ?? 1, { inputs });
    const limit = typeof value === 'bigint' ? Number(value) : value;
    if (typeof limit === 'number' && Number.isInteger(limit) && limit >= 1) return limit;
    throw new InvokeError(
      'INVALID_CONCURRENCY',
      `Cannot iterate in "${this.#resource.metadata.name}": its concurrency is not a whole number from 1`,
      {
        resource: this.#resource.metadata.name,
        hint: 'Let the concurrency answer a whole number from 1.',
      },
    );
  }
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
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
      concurrency: {
        title: 'Concurrency',
        description: 'How many elements are worked on at once; default 1.',
        'x-telo-eval': 'runtime',
        'x-telo-context': { inputs: {} },
      },
      steps: { ...STEPS, 'x-telo-context': { item: {}, index: {}, items: {} } },
      catches: CATCHES,
      inputType: TYPE,
    },
  },
  controller: () => Promise.resolve({ create: (resource, ctx) => new Iteration(resource, ctx) }),
};

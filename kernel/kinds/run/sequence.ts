import { StepEngine } from '@telorun/sdk';
import type { InvokeContext, KindRef, ResourceContext, ResourceInstance, ResourceManifest } from '@telorun/sdk';
import { kernelContext } from '../kernel-context.ts';
import type { KindDefinition, ResourceScope } from '../kind.ts';
import { fanOut } from './fan-out.ts';
import { STEPS, TYPE } from './schema.ts';

/** `Run.Sequence`. @see kernel-specs/run-kinds.md RK-01 to RK-05 */
class Sequence implements ResourceInstance {
  readonly #resource: ResourceManifest;
  #ctx: ResourceContext;
  #engine: StepEngine;

  constructor(resource: ResourceManifest, ctx: ResourceContext) {
    this.#resource = resource;
    this.#ctx = ctx;
    this.#engine = new StepEngine(ctx, { kind: resource.kind, resourceName: resource.metadata.name });
  }

  init(ctx: ResourceContext): void {
    this.#ctx = ctx;
    this.#engine = new StepEngine(ctx, { kind: this.#resource.kind, resourceName: this.#resource.metadata.name });
    this.#engine.resolveInvokes(this.#resource['steps']);
  }

  /** Answers the expanded `outputs`, or every step's `{result}` by name. */
  async invoke(inputs: unknown, ctx?: InvokeContext): Promise<unknown> {
    if (this.#resource['with'] === undefined) return this.#perform(inputs, ctx, undefined);
    const scope = await this.#openScope();
    try {
      await this.#start(scope, ctx);
      return await this.#perform(inputs, ctx, scope);
    } finally {
      await scope.close();
    }
  }

  async run(ctx?: InvokeContext): Promise<void> {
    await this.invoke({}, ctx);
  }

  async #perform(inputs: unknown, ctx: InvokeContext | undefined, scope: ResourceScope | undefined): Promise<unknown> {
    const steps: Record<string, unknown> = {};
    await this.#engine.executeSteps(this.#resource['steps'], steps, scope, { inputs }, ctx);
    const outputs = this.#resource['outputs'];
    return outputs === undefined ? steps : this.#ctx.expandValue(outputs, { inputs, steps });
  }

  /** Effect: makes the resources of `with`, for this call alone. */
  #openScope(): Promise<ResourceScope> {
    const { kernel } = kernelContext(this.#ctx);
    if (kernel.openScope === undefined) throw new TypeError('This kernel opens no scopes');
    return kernel.openScope('with');
  }

  /** Effect: runs the targets, all at once; the steps begin when every one has answered. */
  async #start(scope: ResourceScope, ctx: InvokeContext | undefined): Promise<void> {
    const { targets } = this.#resource;
    const refs: KindRef[] = Array.isArray(targets) ? targets : [];
    const options = { concurrency: Math.max(1, refs.length), stopped: () => ctx?.cancellation.isCancelled === true };
    await fanOut(refs, options, (ref) => scope.run(ref, ctx));
  }
}

export const sequence: KindDefinition = {
  module: 'Run',
  name: 'Sequence',
  description: 'Does its steps one after another.',
  capability: 'Telo.Runnable',
  schema: {
    type: 'object',
    required: ['steps'],
    additionalProperties: false,
    properties: {
      with: {
        title: 'With',
        description: 'Resources that live for one call of the sequence: its steps, and they themselves, refer to them.',
        type: 'array',
        items: { type: 'object' },
        'x-telo-scope': true,
      },
      targets: {
        title: 'Targets',
        description: 'Resources of `with` that are run, all at once, before the steps.',
        type: 'array',
      },
      steps: STEPS,
      inputType: TYPE,
      outputType: TYPE,
      outputs: {
        title: 'Outputs',
        description: 'What a caller gets, over `steps` and `inputs`. Absent: every step as `{result}` by name.',
        'x-telo-eval': 'runtime',
        'x-telo-context': { inputs: {}, steps: {} },
      },
    },
  },
  controller: () => Promise.resolve({ create: (resource, ctx) => new Sequence(resource, ctx) }),
};

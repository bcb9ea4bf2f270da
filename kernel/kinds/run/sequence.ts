import { StepEngine } from '@telorun/sdk';
import type { InvokeContext, ResourceContext, ResourceInstance, ResourceManifest } from '@telorun/sdk';
import type { KindDefinition } from '../kind.ts';
import { STEPS, TYPE } from './schema.ts';

/** `Run.Sequence`. @see kernel-specs/run-kinds.md RK-01 */
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
    const steps: Record<string, unknown> = {};
    await this.#engine.executeSteps(this.#resource['steps'], steps, undefined, { inputs }, ctx);
    const outputs = this.#resource['outputs'];
    return outputs === undefined ? steps : this.#ctx.expandValue(outputs, { inputs, steps });
  }

  async run(ctx?: InvokeContext): Promise<void> {
    await this.invoke({}, ctx);
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

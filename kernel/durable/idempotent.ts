import { StepEngine } from '@telorun/sdk';
import type { InvokeContext, ResourceContext, ResourceInstance, ResourceManifest } from '@telorun/sdk';
import { field } from './fields.ts';

/** `Durable.Idempotent`: a body that may be repeated whole. @see kernel-specs/durable-kinds.md DK-45 */
export function create(resource: ResourceManifest, created: ResourceContext): ResourceInstance {
  let ctx = created;
  let engine: StepEngine | undefined;
  return {
    init: (live) => {
      ctx = live;
      engine = new StepEngine(live, { kind: 'Durable.Idempotent', resourceName: resource.metadata.name });
      engine.resolveInvokes(resource['steps']);
    },
    snapshot: () => ({ reason: resource['reason'] }),
    invoke: async (callInputs, invokeCtx?: InvokeContext) => {
      const inputs = field(resource, 'inputs', { ctx, inputs: callInputs }) ?? {};
      const steps: Record<string, unknown> = {};
      await ctx.withZone(
        'steps',
        async (zoned) => engine?.executeSteps(resource['steps'], steps, undefined, { inputs }, zoned),
        invokeCtx,
      );
      return { steps };
    },
  };
}

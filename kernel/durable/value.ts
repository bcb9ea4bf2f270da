import type { InvokeContext, ResourceContext, ResourceInstance, ResourceManifest } from '@telorun/sdk';
import { ambientRun } from './ambient-run.ts';
import { field } from './fields.ts';

/** `Durable.Value`: what a reading of the world was, from then on. @see kernel-specs/durable-kinds.md DK-40 */
export function create(resource: ResourceManifest, created: ResourceContext): ResourceInstance {
  let ctx = created;
  return {
    init: (live) => {
      ctx = live;
    },
    invoke: async (inputs, invokeCtx?: InvokeContext) => {
      const { handle, path } = ambientRun(resource, invokeCtx);
      return handle.decide(`${path}/value`, 'value', () => field(resource, 'value', { ctx, inputs }));
    },
  };
}

import type { ResourceContext, ResourceInstance, ResourceManifest } from '@telorun/sdk';
import { runOf } from './fields.ts';
import { journalOf } from './references.ts';

/** `DurableLocal.Status`. @see kernel-specs/durable-kinds.md DK-60 */
export function create(resource: ResourceManifest, created: ResourceContext): ResourceInstance {
  let ctx = created;
  return {
    init: (live) => {
      ctx = live;
    },
    invoke: async (inputs) => {
      const run = runOf(resource, { ctx, inputs });
      const record = await journalOf(resource['journal'], ctx, resource.metadata.name).readRun(run);
      if (record === undefined) return { run, status: 'unknown' };
      const { status, dueAt, parked } = record;
      return {
        run,
        status,
        ...(dueAt === undefined ? {} : { dueAt }),
        // The token opens the wait to whoever holds it: a status does not carry it.
        ...(parked === undefined ? {} : { parked: { path: parked.path, resource: parked.resource } }),
      };
    },
  };
}

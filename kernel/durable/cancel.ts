import type { ResourceContext, ResourceInstance, ResourceManifest } from '@telorun/sdk';
import { activeRun } from './active-runs.ts';
import { field, runOf } from './fields.ts';
import { journalOf } from './references.ts';

/** `DurableLocal.Cancel`: settles a run as cancelled and stops its body. @see kernel-specs/durable-kinds.md DK-62 */
export function create(resource: ResourceManifest, created: ResourceContext): ResourceInstance {
  let ctx = created;
  return {
    init: (live) => {
      ctx = live;
    },
    invoke: async (inputs) => {
      const scope = { ctx, inputs };
      const run = runOf(resource, scope);
      const reason = field(resource, 'reason', scope);
      const journal = journalOf(resource['journal'], ctx, resource.metadata.name);
      const cancelled = await journal.cancelRun(run, typeof reason === 'string' ? reason : undefined);
      if (cancelled) activeRun(journal, run)?.stop('run-cancelled');
      return { run, cancelled, status: (await journal.readRun(run))?.status ?? 'unknown' };
    },
  };
}

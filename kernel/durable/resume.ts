import { randomUUID } from 'node:crypto';
import type { ResourceContext, ResourceInstance, ResourceManifest } from '@telorun/sdk';
import type { FencedJournal } from '@telorun/sdk/journal';
import { runNotFound } from './errors.ts';
import { field, runOf } from './fields.ts';
import { kernelContext } from '../kinds/kernel-context.ts';
import { CLAIM } from './limits.ts';
import { workflowOf } from './references.ts';
import { isTerminal } from './settlement.ts';

/** `DurableLocal.Resume`: makes a run due; whoever sweeps executes it. @see kernel-specs/durable-kinds.md DK-63 */
export function create(resource: ResourceManifest, created: ResourceContext): ResourceInstance {
  let ctx = kernelContext(created);
  return {
    init: (live) => {
      ctx = kernelContext(live);
    },
    invoke: async (inputs) => {
      const scope = { ctx, inputs };
      const run = runOf(resource, scope);
      const { journal } = workflowOf(resource['workflow'], ctx, resource.metadata.name);
      const record = await journal.readRun(run);
      if (record === undefined) throw runNotFound(run);
      if (isTerminal(record.status)) return { run, resumed: false, status: record.status };
      const reason = field(resource, 'reason', scope);
      const resumed = await makeDue(journal, run, { at: ctx.kernel.now(), reason });
      return resumed ? { run, resumed } : { run, resumed, status: record.status };
    },
  };
}

/** Durable: records the override under a claim of its own. Answers false when another process is executing the run. */
async function makeDue(
  journal: FencedJournal,
  run: string,
  override: { at: number; reason: unknown },
): Promise<boolean> {
  if (!(await journal.claimRun(run, randomUUID(), CLAIM.ttlMs))) return false;
  try {
    const { at, reason } = override;
    const value = reason === undefined ? { at } : { reason, at };
    await journal.append(run, { path: `override/resume/${at}`, kind: 'decision', decision: 'value', value });
    await journal.unparkRun(run);
  } finally {
    await journal.releaseRun(run);
  }
  return true;
}

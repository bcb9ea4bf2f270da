import { InvokeError } from '@telorun/sdk';
import type { ResourceContext, ResourceInstance, ResourceManifest } from '@telorun/sdk';
import { kernelContext } from '../kinds/kernel-context.ts';
import { durationMs } from '../kinds/timer/duration.ts';
import { runIdInvalid } from './errors.ts';
import { field, instant } from './fields.ts';
import { workflowOf } from './references.ts';

/** `DurableLocal.Schedule`: admits a run for later. @see kernel-specs/durable-kinds.md DK-64 to DK-66 */
export function create(resource: ResourceManifest, created: ResourceContext): ResourceInstance {
  let ctx = kernelContext(created);
  return {
    init: (live) => {
      ctx = kernelContext(live);
    },
    invoke: async (inputs) => {
      const scope = { ctx, inputs };
      const { name } = resource.metadata;
      const now = ctx.kernel.now();
      const dueAt = dueTime(field(resource, 'after', scope), field(resource, 'at', scope), { now, resource: name });
      const stated = statedRunId(field(resource, 'runId', scope), name);
      const workflow = workflowOf(resource['workflow'], ctx, name);
      const request = { ...stated, inputs: field(resource, 'inputs', scope) ?? {}, dueAt };
      const { runId, admitted, status } = await workflow.schedule(request);
      return admitted ? { runId, scheduled: true, dueAt } : { runId, scheduled: false, status };
    },
  };
}

function statedRunId(runId: unknown, resource: string): { readonly runId?: string } {
  if (runId === undefined) return {};
  if (typeof runId !== 'string' || runId === '') throw runIdInvalid(resource);
  return { runId };
}

function dueTime(after: unknown, at: unknown, where: { readonly now: number; readonly resource: string }): number {
  const { now, resource } = where;
  if ((after === undefined) === (at === undefined)) throw invalid(resource, 'exactly one of after and at is needed');
  const due = after === undefined ? instant(at) : now + durationMs(after, `"after" of ${resource}`);
  if (due === undefined || !Number.isFinite(due))
    throw invalid(resource, '"at" is neither epoch milliseconds nor a date');
  return Math.ceil(due);
}

function invalid(resource: string, state: string): InvokeError {
  return new InvokeError('ERR_DURABLE_SCHEDULE_INVALID', `Cannot schedule in "${resource}": ${state}`, {
    resource,
    hint: 'State after as a duration such as 90s, or at as epoch milliseconds or an ISO date.',
  });
}

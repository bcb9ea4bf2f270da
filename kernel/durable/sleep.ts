import { assertMaySuspend, InvokeError, parkRun } from '@telorun/sdk';
import type { InvokeContext, ResourceContext, ResourceInstance, ResourceManifest } from '@telorun/sdk';
import { ambientRun } from './ambient-run.ts';
import { durationMs } from '../kinds/timer/duration.ts';
import { field, instant } from './fields.ts';
import { kernelContext } from '../kinds/kernel-context.ts';

/** `Durable.Sleep`. @see kernel-specs/durable-kinds.md DK-21 to DK-23 */
export function create(resource: ResourceManifest, created: ResourceContext): ResourceInstance {
  let ctx = kernelContext(created);
  return {
    init: (live) => {
      ctx = kernelContext(live);
    },
    invoke: async (inputs, invokeCtx?: InvokeContext) => {
      const run = ambientRun(resource, invokeCtx);
      assertMaySuspend(ctx, invokeCtx, { resource: run.resource });
      const wakeAt = await run.handle.decide(`${run.path}/wakeAt`, 'value', () => {
        const scope = { ctx, inputs };
        return wakeTime(field(resource, 'for', scope), field(resource, 'until', scope), {
          now: ctx.kernel.now(),
          resource: run.resource,
        });
      });
      if (wakeAt <= ctx.kernel.now()) return { wokeAt: ctx.kernel.now() };
      return parkRun(run.handle, { path: run.path, resource: run.resource }, { at: wakeAt });
    },
  };
}

function wakeTime(after: unknown, until: unknown, where: { now: number; resource: string }): number {
  if ((after === undefined) === (until === undefined))
    throw invalid(where.resource, 'exactly one of for and until is needed');
  const at = after === undefined ? instant(until) : where.now + durationMs(after, `"for" of ${where.resource}`);
  if (at === undefined || !Number.isFinite(at))
    throw invalid(where.resource, '"until" is neither epoch milliseconds nor a date');
  return Math.ceil(at);
}

function invalid(resource: string, state: string): InvokeError {
  return new InvokeError('ERR_DURABLE_SLEEP_INVALID', `Cannot sleep in "${resource}": ${state}`, {
    resource,
    hint: 'State for as a duration such as 90s, or until as epoch milliseconds or an ISO date.',
  });
}

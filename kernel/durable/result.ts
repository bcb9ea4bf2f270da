import { NEVER_CANCELLED } from '@telorun/sdk';
import type { InvokeContext, ResourceContext, ResourceInstance, ResourceManifest } from '@telorun/sdk';
import type { RunRecord } from '@telorun/sdk/journal';
import { durationMs } from '../kinds/timer/duration.ts';
import { field, runOf } from './fields.ts';
import { kernelContext } from '../kinds/kernel-context.ts';
import { journalOf } from './references.ts';
import { isTerminal } from './settlement.ts';
import { pause } from '../kinds/timer/timer.ts';

const POLL_MS = 100;
/** A poll of less would only burn time. */
const POLL_MS_MIN = 10;

/** `DurableLocal.Result`. @see kernel-specs/durable-kinds.md DK-61 */
export function create(resource: ResourceManifest, created: ResourceContext): ResourceInstance {
  let ctx = kernelContext(created);
  return {
    init: (live) => {
      ctx = kernelContext(live);
    },
    invoke: async (inputs, invokeCtx?: InvokeContext) => {
      const scope = { ctx, inputs };
      const run = runOf(resource, scope);
      const journal = journalOf(resource['journal'], ctx, resource.metadata.name);
      const wait = field(resource, 'wait', scope);
      const until = ctx.kernel.now() + (wait === undefined ? 0 : durationMs(wait, '"wait"'));
      const poll = pollMs(field(resource, 'poll', scope));
      for (;;) {
        const record = await journal.readRun(run);
        const left = until - ctx.kernel.now();
        if (record === undefined ? left <= 0 : isTerminal(record.status) || left <= 0) return describe(run, record);
        await pause(Math.min(poll, left), invokeCtx?.cancellation ?? NEVER_CANCELLED);
      }
    },
  };
}

function pollMs(stated: unknown): number {
  if (stated === undefined) return POLL_MS;
  const ms = typeof stated === 'string' ? durationMs(stated, '"poll"') : Number(stated);
  return Number.isFinite(ms) ? Math.max(POLL_MS_MIN, ms) : POLL_MS;
}

function describe(run: string, record: RunRecord | undefined): unknown {
  if (record === undefined) return { run, status: 'unknown' };
  const { status, result, error, collapsedRegions, collapseReasons } = record;
  if (!isTerminal(status)) return { run, status };
  return {
    run,
    status,
    ...(status === 'completed' ? { result } : {}),
    ...(error === undefined ? {} : { error: { code: error.code, message: error.message } }),
    ...(collapsedRegions === undefined ? {} : { collapsedRegions }),
    ...(collapseReasons === undefined ? {} : { collapseReasons }),
  };
}

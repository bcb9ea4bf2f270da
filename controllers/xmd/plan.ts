import type { InvokeContext, ResourceContext, ResourceInstance, ResourceManifest } from '@telorun/sdk';
import { durableHandleOf, isSuspension, journalingSuppressed, stepPath, UNCANCELLABLE_CONTEXT } from '@telorun/sdk';
import { isMembers } from './admission/shape.ts';
import { referenceSite } from './content-zone.ts';
import type { Occurrence } from './occurrence.ts';
import { enterOccurrence } from './occurrence.ts';
import type { DraftPlace, Planning } from './planning/drafts.ts';
import { planText } from './planning/drafts.ts';
import { firstMessages } from './planning/messages.ts';
import type { Message } from './planning/model.ts';
import { modelOf } from './planning/model.ts';
import { readPlanRequest } from './planning/plan-request.ts';
import { planRefused } from './planning/problems.ts';

/** `Xmd.Plan`: asks a model for a fragment, which stays a text. */
export interface Plan extends ResourceInstance {
  /**
   * Durable: every answer of the model is one step. Performs nothing of what it plans.
   *
   * @throws InvokeError ERR_XMD_INPUT, ERR_XMD_PROFILE, ERR_XMD_REFUSED, ERR_XMD_OCCURRENCE_BUSY,
   *   ERR_XMD_RECORD_UNREADABLE, ERR_XMD_PLAN_EMPTY, ERR_XMD_PLAN_CUT_OFF, ERR_XMD_PLAN_FILTERED, ERR_XMD_PLAN_UNCLEAR,
   *   ERR_XMD_PLAN_MODEL
   */
  invoke(inputs: unknown, context?: InvokeContext): Promise<string>;
}

/** How often a refused draft may go back to the model at most. */
const REPAIRS_MAX = 8;

export const register = (): void => undefined;

/** Makes one Xmd.Plan. @see kernel-specs/plan.md */
export function create(resource: ResourceManifest, ctx: ResourceContext): Plan {
  return {
    async invoke(inputs, context = UNCANCELLABLE_CONTEXT) {
      const { profile, allow } = referenceSite(resource, { ctx, context });
      const request = readPlanRequest(inputs, { allow }, profile.grants);
      const { limits } = profile;
      const table = profile.table(request.allow);
      const { options, system } = resource;
      const planning: Planning = {
        model: modelOf(resource['model'], ctx, resource.metadata.module ?? ''),
        table,
        limits,
        cancellation: context.cancellation,
        repairs: readRepairs(resource['repair']),
        ...(isMembers(options) ? { options } : {}),
      };
      const first = firstMessages(request, { table, limits, ...(typeof system === 'string' ? { system } : {}) });
      return planAt(first, planning, { ctx, context, name: resource.metadata.name });
    },
  };
}

interface Site {
  readonly ctx: ResourceContext;
  readonly context: InvokeContext;
  readonly name: string;
}

async function planAt(first: readonly Message[], planning: Planning, site: Site): Promise<string> {
  const { ctx, context, name } = site;
  const handle = durableHandleOf(context);
  if (handle === undefined || journalingSuppressed(ctx, context, handle)) {
    return planText(first, planning, undefined);
  }
  const occurrence = enterOccurrence(handle, context.durablePath ?? stepPath('steps', name));
  const place: DraftPlace = {
    handle,
    base: occurrence.base,
    first: attemptOf(context, occurrence) * ((planning.repairs ?? 0) + 1),
  };
  try {
    const text = await planText(first, planning, place);
    occurrence.end('completed');
    return text;
  } catch (error) {
    occurrence.end(isSuspension(error) ? 'suspended' : 'failed');
    throw error;
  }
}

/** Which attempt this is: as the host states it, else by what failed here before. @see kernel-specs/plan.md PL-14 */
function attemptOf(context: InvokeContext, occurrence: Occurrence): number {
  return context.attempt ?? occurrence.failures;
}

function readRepairs(value: unknown): number | undefined {
  if (value === undefined) {
    return undefined;
  }
  const stated = isMembers(value) ? value['attempts'] : undefined;
  const attempts = typeof stated === 'bigint' ? Number(stated) : stated;
  if (typeof attempts !== 'number' || !Number.isInteger(attempts) || attempts < 0 || attempts > REPAIRS_MAX) {
    throw planRefused(
      'repair',
      `its repair.attempts is no integer from 0 to ${REPAIRS_MAX}`,
      `State repair.attempts as an integer from 0 to ${REPAIRS_MAX}.`,
    );
  }
  return attempts;
}

import type { DurableRunHandle } from '@telorun/sdk';
import { approvalChanged, fragmentRefused, recordUnreadable } from '../errors.ts';
import type { Refusal, Verdict } from '../fragment/fragment.ts';
import { refusalMessage } from '../fragment/refusal.ts';
import type { Plan } from '../preflight/plan.ts';
import type { AdmissionSecret } from '../secrets/examiner.ts';
import { secretRefused } from '../secrets/examiner.ts';
import type { JsonObject } from '../values/json.ts';
import type { Admission } from './admission.ts';
import { compareRecord } from './compare.ts';
import { compareLegacyRecord, isLegacyRecord } from './legacy-record.ts';
import { readRecord } from './read-record.ts';
import { encodeRecord, namedBy } from './record.ts';

declare const admitted: unique symbol;

/** A plan whose admission is on record, or needs none. Only `admit` and `admitUnrecorded` mint one. */
export interface AdmittedPlan extends Plan {
  readonly [admitted]: true;
}

export interface AdmissionPlace {
  readonly handle: DurableRunHandle;
  /** Path of the record: `<P>/generated_xmd`. */
  readonly path: string;
  readonly occurrence: number;
}

/**
 * Admits a fragment to a durable run, or refuses it.
 *
 * Durable: one decision, a refusal included; then the record that came back is compared with what this run states.
 *
 * @throws InvokeError ERR_XMD_REFUSED, ERR_XMD_SECRET, ERR_XMD_RECORD_UNREADABLE, ERR_XMD_TEXT_CHANGED, ERR_XMD_POLICY_CHANGED,
 *   ERR_XMD_APPROVAL_MISMATCH
 * @see kernel-specs/evaluate.md EV-25
 */
export async function admit(admission: Admission, place: AdmissionPlace): Promise<AdmittedPlan> {
  const { handle, path, occurrence } = place;
  const once = walkedOnce(admission);
  const recorded: unknown = await handle.decide<unknown>(path, 'value', () => recordOf(once, occurrence));
  if (occurrence === 0 && isLegacyRecord(recorded)) {
    const plan = compareLegacyRecord(recorded, once, path);
    // Records of that version knew no approval: one that is stated now was not there before the first effect.
    if (once.approved !== undefined) {
      throw approvalChanged(path);
    }
    return mint(plan);
  }
  const record = readRecord(recorded, path);
  if (record.occurrence !== occurrence) {
    throw recordUnreadable(path, 'occurrence');
  }
  if (record.decision === 'refused') {
    throw 'secret' in record ? secretRefused(record.secret) : refusedError(record.refusal);
  }
  return mint(compareRecord(record, once, path));
}

/**
 * Admits a fragment where nothing is recorded: outside a run, or in a collapsed region.
 *
 * Pure.
 *
 * @throws InvokeError ERR_XMD_REFUSED, ERR_XMD_SECRET
 */
export function admitUnrecorded(admission: Admission): AdmittedPlan {
  const verdict = judge(admission);
  if (verdict.decision === 'refused') {
    throw 'secret' in verdict ? secretRefused(verdict.secret) : refusedError(verdict.refusal);
  }
  return mint(verdict.plan);
}

/** What becomes of a fragment that is not on record: the check, then what would be recorded. */
export type Judgement =
  | { readonly decision: 'admitted'; readonly plan: Plan }
  | { readonly decision: 'refused'; readonly refusal: Refusal }
  | { readonly decision: 'refused'; readonly secret: AdmissionSecret };

/** Judges a fragment and performs nothing: what Preflight answers is what an evaluation finds. Pure. */
export function judge(admission: Admission): Judgement {
  const verdict = admission.check();
  if (!verdict.ok) {
    return { decision: 'refused', refusal: verdict.refusal };
  }
  const secret = admission.secret?.();
  return secret === undefined ? { decision: 'admitted', plan: verdict.value } : { decision: 'refused', secret };
}

/** The walk is pure, so the one inside the decision and the one of the comparison are the same. */
function walkedOnce(admission: Admission): Admission {
  let verdict: Verdict<Plan> | undefined;
  return { ...admission, check: () => (verdict ??= admission.check()) };
}

function recordOf(admission: Admission, occurrence: number): JsonObject {
  const verdict = judge(admission);
  if (verdict.decision === 'refused') {
    return encodeRecord({ ...verdict, occurrence });
  }
  const { text, policy, entries, approved } = admission;
  const named = namedBy(verdict.plan, entries);
  return encodeRecord({
    decision: 'admitted',
    occurrence,
    text,
    policy,
    named,
    ...(approved === undefined ? {} : { approved }),
  });
}

function refusedError(refusal: Refusal): Error {
  return fragmentRefused(refusal, refusalMessage(refusal));
}

function mint(plan: Plan): AdmittedPlan {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the mint of AdmittedPlan
  return plan as AdmittedPlan;
}

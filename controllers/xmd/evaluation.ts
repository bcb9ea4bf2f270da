import type { DurableRunHandle, DurableTarget, InvokeContext, ResourceContext } from '@telorun/sdk';
import { durableHandleOf, isSuspension, journalingSuppressed, stepPath } from '@telorun/sdk';
import type { Admission } from './admission/admission.ts';
import type { AdmittedPlan } from './admission/admit.ts';
import { admit, admitUnrecorded } from './admission/admit.ts';
import { namedBy } from './admission/record.ts';
import type { Statement } from './approval/approval-digest.ts';
import { approve } from './approval/approve.ts';
import { survey, targetsOf } from './approval/survey.ts';
import type { Target } from './approval/target.ts';
import type { Producer } from './content.ts';
import type { EvaluationRequest, TextRequest } from './evaluate-input.ts';
import type { Occurrence } from './occurrence.ts';
import { hostCall } from './host-calls.ts';
import { enterOccurrence } from './occurrence.ts';
import { hostOperation } from './operations/host-operation.ts';
import type { Performer } from './operations/performer.ts';
import { standardPerformers } from './operations/standard.ts';
import type { Stage } from './performance/effect.ts';
import type { EvaluationResult } from './performance/outcome.ts';
import { settle } from './performance/settle.ts';
import { watchHandle } from './performance/watched-handle.ts';
import { checkText } from './preflight/check.ts';
import type { Plan } from './preflight/plan.ts';
import type { Profile } from './profiles.ts';
import type { Examiner } from './secrets/examiner.ts';
import { openExaminer } from './secrets/examiner.ts';
import type { Operation } from './vocabulary/operation.ts';
import { policyOf } from './vocabulary/policy.ts';

/** Where an evaluation happens. */
export interface EvaluationSite {
  readonly ctx: ResourceContext;
  readonly context: InvokeContext;
  /** Name of the evaluating resource; its step path where the host states none. */
  readonly name: string;
  /** Makes the text of the paired form. */
  readonly producer: Producer;
}

/**
 * Evaluates one request under a profile: occurrence, content, admission, comparison, approval, effects, outcome, in this
 * order.
 *
 * Durable: see the stages. In a collapsed region and outside a run nothing of ours is recorded.
 *
 * @throws InvokeError ERR_XMD_OCCURRENCE_BUSY and what the stages throw
 * @see kernel-specs/evaluate.md EV-20
 */
export async function evaluate(
  request: EvaluationRequest,
  profile: Profile,
  site: EvaluationSite,
): Promise<EvaluationResult> {
  const handle = durableHandleOf(site.context);
  const examiner = await openExaminer(profile.secrets);
  const entry = { request, profile, site, examiner };
  if (handle === undefined) {
    const admission = await admissionAt('', entry);
    const plan = admitUnrecorded(admission);
    const approval = await approvalOf(plan, { admission, profile, used: false }, { path: site.name });
    return settle(plan, stageOf(profile, site, { base: '', attempt: 0, examiner, ...approval }));
  }
  const path = site.context.durablePath ?? stepPath('steps', site.name);
  const occurrence = enterOccurrence(handle, path);
  try {
    const result = await evaluateIn(occurrence, { ...entry, handle });
    occurrence.end('completed', request.approved);
    return result;
  } catch (error) {
    occurrence.end(isSuspension(error) ? 'suspended' : 'failed');
    throw error;
  }
}

/** What a request asks to be admitted, and under what. Pure. */
export function admissionOf({ text, allow, approved }: TextRequest, profile: Profile): Admission {
  const { limits, root, retainedRoots } = profile;
  const table = profile.table(allow);
  const { entries } = table;
  const policy = policyOf({ table, limits, root });
  const check: Admission['check'] = () => checkText(text, table, limits);
  return { text, policy, allow, entries, retainedRoots, check, ...(approved === undefined ? {} : { approved }) };
}

/** What is approved besides the files: text, policy with its identities, elements. Pure. */
export function statementOf({ text, policy, entries }: Admission, plan: Plan): Statement {
  return { text, policy, named: namedBy(plan, entries) };
}

/** An admission with what is examined in it: only where nothing is on record, so what was admitted is not again. Pure. */
export function examined(admission: Admission, examiner: Examiner): Admission {
  return { ...admission, secret: () => examiner.fragment(admission.text, admission.policy) };
}

interface Entry {
  readonly request: EvaluationRequest;
  readonly profile: Profile;
  readonly site: EvaluationSite;
  readonly examiner: Examiner;
}

/** What is to be admitted at `base`. The table is read ahead of a producer: a bad profile refuses before one runs. */
async function admissionAt(base: string, { request, profile, site, examiner }: Entry): Promise<Admission> {
  const { text, allow } = request;
  const { context, producer } = site;
  if (typeof text === 'string') {
    return examined(admissionOf({ ...request, text }, profile), examiner);
  }
  profile.table(allow);
  const made = await producer.produce(text, { context, base, narrowed: { profile, allow } });
  return examined(admissionOf({ ...request, text: made }, profile), examiner);
}

async function evaluateIn(
  occurrence: Occurrence,
  entry: Entry & { readonly handle: DurableRunHandle },
): Promise<EvaluationResult> {
  const { handle, profile, site, examiner } = entry;
  const { base, index } = occurrence;
  const admission = await admissionAt(base, entry);
  const attempt = site.context.attempt ?? occurrence.failures;
  const path = stepPath(base, 'generated_xmd');
  const used = admission.approved !== undefined && occurrence.isUsed(admission.approved);
  if (journalingSuppressed(site.ctx, site.context, handle)) {
    const plan = admitUnrecorded(admission);
    const approval = await approvalOf(plan, { admission, profile, used }, { path: stepPath(path, 'approval') });
    return settle(plan, stageOf(profile, site, { base, attempt, handle, examiner, ...approval }));
  }
  const plan = await admit(admission, { handle, path, occurrence: index });
  const approval = await approvalOf(plan, { admission, profile, used }, { path: stepPath(path, 'approval'), handle });
  const outcome = attempt === 0 ? stepPath(path, 'outcome') : stepPath(path, 'outcome', attempt);
  const where = { base, attempt, handle, examiner, watched: watchHandle(handle), ...approval };
  return settle(plan, stageOf(profile, site, where), outcome);
}

/** The approval that the effects are performed under, compared before any of them; nothing where none is stated. */
async function approvalOf(
  plan: AdmittedPlan,
  { admission, profile, used }: { readonly admission: Admission; readonly profile: Profile; readonly used: boolean },
  place: { readonly path: string; readonly handle?: DurableRunHandle },
): Promise<Pick<Stage, 'approval'>> {
  const { approved } = admission;
  if (approved === undefined) {
    return {};
  }
  const { files, limits } = profile;
  const statement = statementOf(admission, plan);
  const targets = (): readonly Target[] => targetsOf(survey(plan, { files, limits, shown: false }));
  return { approval: await approve({ approved, statement, used, survey: targets }, place) };
}

function stageOf(
  profile: Profile,
  site: EvaluationSite,
  where: Pick<Stage, 'base' | 'attempt' | 'handle' | 'watched' | 'examiner' | 'approval'>,
): Stage {
  const standard = standardPerformers(profile.files, profile.http);
  const hosted = new Map<Operation, { readonly performer: Performer; readonly target: DurableTarget }>(
    profile.operations.map((entry) => [
      entry.operation,
      { target: entry.target, performer: hostOperation(hostCall(entry, { profile, site, where })) },
    ]),
  );
  return {
    ...where,
    context: site.context,
    limits: profile.limits,
    performerOf: (operation) => {
      const performer = hosted.get(operation)?.performer ?? standard.get(operation.identity.key);
      if (performer === undefined) {
        throw new TypeError('Every operation of a table has a performer');
      }
      return performer;
    },
    targetOf: (operation) => hosted.get(operation)?.target,
  };
}

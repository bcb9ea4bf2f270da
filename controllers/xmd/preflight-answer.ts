import type { ResourceContext, ResourceManifest } from '@telorun/sdk';
import { isInvokeError } from '@telorun/sdk';
import type { Admission } from './admission/admission.ts';
import { judge } from './admission/admit.ts';
import { isMembers } from './admission/shape.ts';
import { approvalDigest } from './approval/approval-digest.ts';
import type { DescribedTarget } from './approval/described-target.ts';
import { describeTarget } from './approval/described-target.ts';
import { renderRefusal, renderSurvey } from './approval/rendering.ts';
import type { Surveyed } from './approval/survey.ts';
import { survey, targetsOf } from './approval/survey.ts';
import { readRequest, withText } from './evaluate-input.ts';
import { admissionOf, examined, statementOf } from './evaluation.ts';
import type { Form, Refusal } from './fragment/fragment.ts';
import { refusalMessage } from './fragment/refusal.ts';
import type { Plan, PlannedEffect } from './preflight/plan.ts';
import type { Profile } from './profiles.ts';
import { profileFor } from './profiles.ts';
import type { AdmissionSecret, Examiner } from './secrets/examiner.ts';
import { openExaminer } from './secrets/examiner.ts';
import type { JsonObject } from './values/json.ts';
import type { Grant, Identity } from './vocabulary/operation.ts';

/** Version of the answer's shape. */
const ANSWER_VERSION = 2;

/** One effect that a fragment would have. Nothing in it comes from a file: it may be told to a model. */
interface PreflightEffect {
  readonly name: string;
  readonly form: Form;
  readonly grant: Grant;
  /** Step path below the evaluation. */
  readonly path: string;
  readonly identity: Identity;
  readonly input: JsonObject;
  readonly target: DescribedTarget;
  /** Why it could not be performed as things are, a reason of FS-01; left out when nothing is in the way. */
  readonly problem?: string;
}

/** What is admitted: its effects in the order performed, the same for a person, and the digest that an approval names. */
interface AdmittedAnswer {
  readonly version: 2;
  readonly admitted: true;
  readonly effects: readonly PreflightEffect[];
  /** For a person alone, never for a prompt: it holds text of files, also of those that the fragment may not read. */
  readonly rendering: string;
  readonly digest: string;
}

const SECRET_IN: Readonly<Record<AdmissionSecret['within'], string>> = {
  text: 'The fragment holds what looks like a secret',
  policy: 'The requests or the root of the profile hold what looks like a secret',
};

/** Why nothing is admitted; `rendering` is that for a person, without a word of the fragment. */
interface RefusedAnswer {
  readonly version: 2;
  readonly admitted: false;
  readonly rendering: string;
}

/** What a fragment would do, or why it is refused. */
export type PreflightAnswer =
  | AdmittedAnswer
  | (RefusedAnswer & { readonly refusal: Refusal })
  | (RefusedAnswer & { readonly secret: AdmissionSecret });

/**
 * Checks what `Xmd.Evaluate` would be asked for, and says what it would do.
 *
 * Effect: reads the files that would be changed; loads the rules for secrets where the profile wants them. No record, inside
 * a durable run or outside.
 *
 * @throws InvokeError ERR_XMD_PROFILE, ERR_XMD_INPUT
 * @see kernel-specs/evaluate.md EV-50
 */
export async function answerPreflight(
  inputs: unknown,
  resource: ResourceManifest,
  ctx: ResourceContext,
): Promise<PreflightAnswer> {
  const profile = profileFor(ctx, resource['profile']);
  const request = withText(readRequest(inputs, resource, profile));
  const examiner = await openExaminer(profile.secrets);
  const admission = examined(admissionOf(request, profile), examiner);
  const verdict = judge(admission);
  if (verdict.decision === 'admitted') {
    return admittedAnswer(verdict.plan, { admission, profile, examiner });
  }
  const refused = { version: ANSWER_VERSION, admitted: false } as const;
  if ('secret' in verdict) {
    const { secret } = verdict;
    return { ...refused, rendering: renderRefusal(SECRET_IN[secret.within], secret.rule, secret), secret };
  }
  const { refusal } = verdict;
  return { ...refused, rendering: renderRefusal(refusalMessage(refusal), refusal.class, refusal), refusal };
}

function admittedAnswer(
  plan: Plan,
  site: { readonly admission: Admission; readonly profile: Profile; readonly examiner: Examiner },
): AdmittedAnswer {
  const { admission, profile, examiner } = site;
  const { files, limits } = profile;
  const surveyed = survey(plan, { files, limits, shown: true });
  return {
    version: ANSWER_VERSION,
    admitted: true,
    effects: surveyed.map(describe),
    rendering: renderSurvey(surveyed, { conceals: (effect, text) => concealedBy(examiner, effect, text) }),
    digest: approvalDigest(statementOf(admission, plan), targetsOf(surveyed)),
  };
}

/** What an evaluation would not record is not rendered either: the answer is going to be a record. */
function concealedBy(examiner: Examiner, { operation, segment }: PlannedEffect, text: string): string | undefined {
  try {
    examiner.value(operation, segment, text);
    return undefined;
  } catch (error) {
    if (!isInvokeError(error) || error.code !== 'ERR_XMD_SECRET') throw error;
    const rule = isMembers(error.data) ? error.data['rule'] : undefined;
    return `it looks like a secret (${String(rule)})`;
  }
}

function describe({ effect, problem }: Surveyed): PreflightEffect {
  const { operation, segment, input } = effect;
  const { name, form, grant, identity } = operation;
  const described = { name, form, grant, path: segment, identity, input, target: describeTarget(effect) };
  return problem === undefined ? described : { ...described, problem: problem.reason };
}

import type { ResourceContext, ResourceManifest } from '@telorun/sdk';
import { readRequest, withText } from './evaluate-input.ts';
import { judge } from './admission/admit.ts';
import { admissionOf, examined } from './evaluation.ts';
import type { Form, Refusal } from './fragment/fragment.ts';
import type { PlannedEffect } from './preflight/plan.ts';
import { profileFor } from './profiles.ts';
import type { AdmissionSecret } from './secrets/examiner.ts';
import { openExaminer } from './secrets/examiner.ts';
import type { JsonObject } from './values/json.ts';
import type { Grant, Identity } from './vocabulary/operation.ts';

/** Version of the answer's shape. */
const ANSWER_VERSION = 1;

/** One element that a fragment would perform. */
interface PreflightElement {
  readonly name: string;
  readonly form: Form;
  readonly grant: Grant;
  /** Step path below the evaluation. */
  readonly path: string;
  readonly identity: Identity;
  readonly input: JsonObject;
}

/** What a fragment would do, or why it is refused. */
export type PreflightAnswer =
  | { readonly version: 1; readonly admitted: true; readonly elements: readonly PreflightElement[] }
  | { readonly version: 1; readonly admitted: false; readonly refusal: Refusal }
  | { readonly version: 1; readonly admitted: false; readonly secret: AdmissionSecret };

/**
 * Checks what `Xmd.Evaluate` would be asked for, and says what it would do.
 *
 * Effect: loads the rules for secrets where the profile wants them; no record, inside a durable run or outside.
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
  const verdict = judge(examined(admissionOf(request, profile), await openExaminer(profile.secrets)));
  if (verdict.decision === 'admitted') {
    return { version: ANSWER_VERSION, admitted: true, elements: verdict.plan.effects.map(describe) };
  }
  return 'secret' in verdict
    ? { version: ANSWER_VERSION, admitted: false, secret: verdict.secret }
    : { version: ANSWER_VERSION, admitted: false, refusal: verdict.refusal };
}

function describe({ operation, segment, input }: PlannedEffect): PreflightElement {
  const { name, form, grant, identity } = operation;
  return { name, form, grant, path: segment, identity, input };
}

import type { ResourceContext, ResourceManifest } from '@telorun/sdk';
import { readRequest } from './evaluate-input.ts';
import { admissionOf } from './evaluation.ts';
import type { Form, Refusal } from './fragment/fragment.ts';
import type { PlannedEffect } from './preflight/plan.ts';
import { profileFor } from './profiles.ts';
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
  | { readonly version: 1; readonly admitted: false; readonly refusal: Refusal };

/**
 * Checks what `Xmd.Evaluate` would be asked for, and says what it would do.
 *
 * Pure: no effect, no record, inside a durable run or outside.
 *
 * @throws InvokeError ERR_XMD_PROFILE, ERR_XMD_INPUT
 * @see kernel-specs/evaluate.md EV-50
 */
export function answerPreflight(inputs: unknown, resource: ResourceManifest, ctx: ResourceContext): PreflightAnswer {
  const profile = profileFor(ctx, resource['profile']);
  const request = readRequest(inputs, resource, profile);
  const verdict = admissionOf(request, profile).check();
  return verdict.ok
    ? { version: ANSWER_VERSION, admitted: true, elements: verdict.value.effects.map(describe) }
    : { version: ANSWER_VERSION, admitted: false, refusal: verdict.refusal };
}

function describe({ operation, segment, input }: PlannedEffect): PreflightElement {
  const { name, form, grant, identity } = operation;
  return { name, form, grant, path: segment, identity, input };
}

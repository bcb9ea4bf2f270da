import type { ResourceContext, ResourceInstance, ResourceManifest } from '@telorun/sdk';
import type { PreflightAnswer } from './preflight-answer.ts';
import { answerPreflight } from './preflight-answer.ts';

export { refusalMessage } from './fragment/refusal.ts';
export { outlineAdmission } from './outline.ts';

/** `Xmd.Preflight`: says what a fragment would do, and does nothing. */
export interface Preflight extends ResourceInstance {
  /** Records and performs nothing. @throws InvokeError ERR_XMD_PROFILE, ERR_XMD_INPUT */
  invoke(inputs: unknown): Promise<PreflightAnswer>;
}

export const register = (): void => undefined;

/** Makes one Xmd.Preflight. @see kernel-specs/evaluate.md EV-50 */
export function create(resource: ResourceManifest, ctx: ResourceContext): Preflight {
  return { invoke: (inputs) => answerPreflight(inputs, resource, ctx) };
}

import type { ResourceContext, ResourceInstance, ResourceManifest } from '@telorun/sdk';
import { registerProfile, withdrawProfile } from './profiles.ts';
import { readProfile } from './read-profile.ts';
import type { SyntaxAnswer } from './syntax-answer.ts';
import { syntaxOf } from './syntax-answer.ts';

/** `Xmd.Profile`: what this host will ever allow. */
interface ProfileInstance extends ResourceInstance {
  /** Documents what a fragment under this profile may use, `allow` as stated, else read. Pure. @throws InvokeError ERR_XMD_INPUT */
  syntax(inputs: { readonly allow?: readonly string[]; readonly names?: readonly string[] }): SyntaxAnswer;
}

export const register = (): void => undefined;

/**
 * Declares the profile of an application, and withdraws it at teardown.
 *
 * Effect: registers it for the module that declares it.
 *
 * @throws InvokeError ERR_XMD_PROFILE
 * @see kernel-specs/evaluate.md EV-01
 */
export function create(resource: ResourceManifest, ctx: ResourceContext): ProfileInstance {
  const profile = readProfile(resource, ctx);
  const instance: ProfileInstance = {
    teardown: () => withdrawProfile(ctx.moduleContext, instance),
    syntax: ({ allow, ...inputs }) => syntaxOf({ profile, allow }, inputs),
  };
  registerProfile(ctx.moduleContext, instance, profile);
  return instance;
}

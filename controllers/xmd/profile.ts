import type { ResourceContext, ResourceInstance, ResourceManifest } from '@telorun/sdk';
import { registerProfile, withdrawProfile } from './profiles.ts';
import { readProfile } from './read-profile.ts';

export const register = (): void => undefined;

/**
 * Declares the profile of an application, and withdraws it at teardown.
 *
 * Effect: registers it for the module that declares it.
 *
 * @throws InvokeError ERR_XMD_PROFILE
 * @see kernel-specs/evaluate.md EV-01
 */
export function create(resource: ResourceManifest, ctx: ResourceContext): ResourceInstance {
  const instance: ResourceInstance = { teardown: () => withdrawProfile(ctx.moduleContext, instance) };
  registerProfile(ctx.moduleContext, instance, readProfile(resource, ctx));
  return instance;
}

import type { InvokeContext, ResourceContext, ResourceManifest, ZoneEntry } from '@telorun/sdk';
import type { Profile } from './profiles.ts';
import { profileFor } from './profiles.ts';
import type { Grant } from './vocabulary/operation.ts';

/** What the steps of one `content` know of the syntax: the table that will judge the text they make. */
export interface NarrowedSite {
  readonly profile: Profile;
  readonly allow: readonly Grant[];
}

/** Where a reference or a planner takes its table from: a profile, and the widest `allow`, as stated. */
export interface ReferenceSite {
  readonly profile: Profile;
  readonly allow: unknown;
}

// A kernel makes one entry for each opening of a zone, and hands it on by identity: nothing else can name one.
const narrowed = new WeakMap<ZoneEntry, NarrowedSite>();

/** Lets a zone carry a site for the time of `work`. Effect: whatever is dispatched under the zone sees it, nothing else. */
export async function carrying<T>(entry: ZoneEntry, site: NarrowedSite, work: () => Promise<T>): Promise<T> {
  narrowed.set(entry, site);
  try {
    return await work();
  } finally {
    narrowed.delete(entry);
  }
}

/**
 * The table that a planner or a reference is held to: inside `content` that of the evaluation around it, whatever its
 * own resource states; anywhere else that of its own profile and `allow`.
 *
 * Pure.
 *
 * @throws InvokeError ERR_XMD_PROFILE outside of `content`, as an evaluation would
 * @see kernel-specs/plan.md PL-43
 */
export function referenceSite(
  resource: ResourceManifest,
  at: { readonly ctx: ResourceContext; readonly context: InvokeContext | undefined },
): ReferenceSite {
  const zones = at.context?.zones ?? [];
  const innermost = zones.map((entry) => narrowed.get(entry)).findLast((site) => site !== undefined);
  return innermost ?? { profile: profileFor(at.ctx, resource['profile']), allow: resource['allow'] };
}

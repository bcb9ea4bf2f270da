import { randomUUID } from 'node:crypto';
import type { DurableRunHandle, InvokeContext, ResourceContext } from '@telorun/sdk';
import { assertMaySuspend, deriveContext } from '@telorun/sdk';
import type { HostCall } from './operations/host-operation.ts';
import type { Stage } from './performance/effect.ts';
import { beginCall, idempotencyKey } from './performance/in-doubt.ts';
import type { HostEntry } from './profile-operations.ts';
import type { Profile } from './profiles.ts';
import { assertLive } from './profiles.ts';

/** The evaluation that the calls of a profile's operations belong to. */
export interface CallingSite {
  readonly profile: Profile;
  readonly site: { readonly ctx: ResourceContext; readonly context: InvokeContext };
  readonly where: Pick<Stage, 'base' | 'attempt' | 'handle' | 'watched'>;
}

/**
 * How one operation of the host is called in one evaluation.
 *
 * A target is dispatched under the effect's path, so that what parks parks there and is delivered to there. One that is
 * called records its begin; one that is entered again, and everything in a collapsed region, does not.
 *
 * @see kernel-specs/host-operations.md HO-10 to HO-14
 */
export function hostCall(entry: HostEntry, { profile, site, where }: CallingSite): HostCall {
  const { handle, watched, base, attempt } = where;
  const { kind, name } = entry.target;
  return {
    keyOf: (path) => idempotencyKeyIn(handle, path),
    prepare: (given) => entry.prepare(given),
    begin: async ({ path }, key) => {
      assertLive(profile);
      const { inDoubt } = entry;
      if (handle === undefined || watched === undefined || inDoubt === undefined) {
        return { kind: 'call' };
      }
      return beginCall({
        run: handle,
        records: watched.handle,
        base,
        path,
        attempt,
        key,
        inDoubt,
        target: `${kind}/${name}`,
        assertMayPark: (resource) => assertMaySuspend(site.ctx, site.context, { resource }),
      });
    },
    dispatch: (inputs, { path, cancellation }) => {
      const context = handle === undefined ? { cancellation } : { cancellation, durablePath: path };
      return entry.dispatch(inputs, deriveContext(site.context, context));
    },
    finish: (result) => entry.finish(result),
  };
}

/** Outside a run nothing is ever called again, so each call has a key of its own. */
function idempotencyKeyIn(handle: DurableRunHandle | undefined, path: string): string {
  return idempotencyKey(handle?.runId ?? randomUUID(), path);
}

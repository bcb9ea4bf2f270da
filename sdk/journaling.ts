import type { ResourceContext } from './controller.ts';
import type { DurableRunHandle, ZoneModeInfo } from './durable-run.ts';
import type { InvokeContext } from './invoke-context.ts';
import type { OpenZone } from './zone.ts';

/** Whether a region is journaled as a whole only, and how each zone on the way resolved. */
export interface JournalMode {
  readonly collapsed: boolean;
  readonly resolutions: readonly ZoneModeInfo[];
}

/**
 * Walks the open zones, innermost first, and answers whether what happens inside them is journaled singly.
 *
 * Pure but for the question to `handle.writesInside`.
 *
 * @see kernel-specs/durable-run.md D-51 to D-53
 */
export function collapsesJournalEntries(
  zones: readonly OpenZone[],
  handle: Pick<DurableRunHandle, 'writesInside'>,
): JournalMode {
  const resolutions: ZoneModeInfo[] = [];
  for (const { kind: zone, attributes, entry } of zones) {
    const { idempotent, atomic } = attributes;
    if (idempotent !== undefined) {
      resolutions.push({ zone, attribute: 'idempotent', mode: 'collapsed', reason: idempotent });
      return { collapsed: true, resolutions };
    }
    if (atomic === undefined) continue;
    if (!handle.writesInside(entry)) {
      resolutions.push({ zone, attribute: 'atomic', mode: 'collapsed', reason: atomic });
      return { collapsed: true, resolutions };
    }
    resolutions.push({ zone, attribute: 'atomic', mode: 'perStep', reason: atomic, attestation: 'writesInside' });
  }
  return { collapsed: false, resolutions };
}

/** Whether steps under `invokeCtx` write no entries of their own. Reports each zone through `noteZoneMode`. */
export function journalingSuppressed(
  ctx: Pick<ResourceContext, 'zoneAttributes'>,
  invokeCtx: InvokeContext | undefined,
  handle: DurableRunHandle,
): boolean {
  const zones = ctx.zoneAttributes?.(invokeCtx);
  if (zones === undefined || zones.length === 0) return false;
  const { collapsed, resolutions } = collapsesJournalEntries(zones, handle);
  for (const resolution of resolutions) handle.noteZoneMode?.(resolution);
  return collapsed;
}

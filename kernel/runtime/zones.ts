import { InvokeError } from '@telorun/sdk';
import type { InvokeContext, OpenZone, ZoneAttribute, ZoneEntry } from '@telorun/sdk';
import { isPlainObject, plainObject } from '../graph/plain.ts';

const ATTRIBUTES: ReadonlySet<string> = new Set(['atomic', 'idempotent', 'noSuspend', 'replayed']);

/** What each zone that is or was open declares. Entries travel through contexts by identity. */
const opened = new WeakMap<ZoneEntry, OpenZone>();

export interface ZoneOpening {
  readonly kind: string;
  readonly schema: Readonly<Record<string, unknown>>;
  readonly slot: string;
  readonly provider: object;
  /** Configuration of the provider; a correlated zone's key is found in it. */
  readonly manifest: Readonly<Record<string, unknown>>;
}

/**
 * Makes the entry of the zone that a kind declares on `slot` with `x-telo-provides-zone`.
 *
 * @throws InvokeError ERR_ZONE_ANNOTATION_MISSING
 */
export function openZone(opening: ZoneOpening): ZoneEntry {
  const { kind, schema, slot, provider, manifest } = opening;
  const declared = plainObject(plainObject(schema['properties'])[slot])['x-telo-provides-zone'];
  if (declared === undefined || declared === false) {
    throw new InvokeError(
      'ERR_ZONE_ANNOTATION_MISSING',
      `Cannot open a zone on "${slot}" of ${kind}: the kind declares none there`,
      {
        kind,
        slot,
        hint: 'Declare x-telo-provides-zone on the slot.',
      },
    );
  }
  const pointer = typeof declared === 'string' ? declared : plainObject(declared)['key'];
  const key = typeof pointer === 'string' ? at(manifest, pointer) : undefined;
  const entry: ZoneEntry = Object.freeze(key === undefined ? { kind, provider } : { kind, provider, key });
  opened.set(entry, Object.freeze({ kind, attributes: attributesOf(declared), entry }));
  return entry;
}

/** Open zones of a context with their attributes, innermost first. Pure. */
export function zoneAttributes(ctx: InvokeContext): readonly OpenZone[] {
  const zones = ctx.zones ?? [];
  return zones.toReversed().map((entry) => opened.get(entry) ?? { kind: entry.kind, attributes: {}, entry });
}

function attributesOf(declared: unknown): OpenZone['attributes'] {
  const attributes: Partial<Record<ZoneAttribute, string>> = {};
  for (const [name, reason] of Object.entries(plainObject(declared))) {
    if (isAttribute(name) && typeof reason === 'string') attributes[name] = reason;
  }
  return Object.freeze(attributes);
}

function isAttribute(name: string): name is ZoneAttribute {
  return ATTRIBUTES.has(name);
}

function at(value: unknown, pointer: string): unknown {
  const segments = pointer.split('/').slice(1);
  return segments.reduce<unknown>((found, segment) => {
    const key = segment.replaceAll('~1', '/').replaceAll('~0', '~');
    return isPlainObject(found) && Object.hasOwn(found, key) ? found[key] : undefined;
  }, value);
}

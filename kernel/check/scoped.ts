import type { FieldPath } from '../manifest/model.ts';
import { isRecord } from '../manifest/record.ts';
import { Reference } from '../manifest/tagged.ts';
import type { ResolvedKind } from './kinds.ts';

type Configuration = Readonly<Record<string, unknown>>;

/** One resource written inside another one (`x-telo-scope`): what it is, and where it stands in that one. */
export interface ScopedEntry {
  readonly at: FieldPath;
  readonly value: unknown;
  /** Undefined where it states none. */
  readonly name: string | undefined;
}

/** The resources that a configuration of this kind holds inside. Pure. */
export function scopedEntries(kind: ResolvedKind, configuration: Configuration): readonly ScopedEntry[] {
  const { properties } = kind.view.schema;
  return Object.entries(isRecord(properties) ? properties : {}).flatMap(([field, schema]) => {
    const list = isRecord(schema) && schema['x-telo-scope'] === true ? configuration[field] : undefined;
    return Array.isArray(list) ? list.map((value, index) => ({ at: [field, index], value, name: nameOf(value) })) : [];
  });
}

/** The resources that a template states, with their places in its definition. Pure. */
export function templateEntries(resources: readonly unknown[]): readonly ScopedEntry[] {
  return resources.map((value, index) => ({ at: ['resources', index], value, name: nameOf(value) }));
}

/** What a reference written among scoped resources means there, if it is one of them. Pure. */
export function scopedTarget<T>(scoped: ReadonlyMap<string, T>, value: unknown): T | undefined {
  return value instanceof Reference && value.alias === undefined ? scoped.get(value.name) : undefined;
}

function nameOf(value: unknown): string | undefined {
  const metadata = isRecord(value) ? value['metadata'] : undefined;
  const name = isRecord(metadata) ? metadata['name'] : undefined;
  return typeof name === 'string' ? name : undefined;
}

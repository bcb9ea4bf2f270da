import { isPlainObject, plainObject } from '../graph/plain.ts';
import type { ResourceRecord } from './resource.ts';

/** A resource written inside another one, which lives as long as that says. */
export interface ScopedResource {
  readonly name: string;
  /** As authored. */
  readonly kind: string;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** The fields of a resource whose kind declares them as lists of scoped resources (`x-telo-scope`). Pure. */
export function scopedFields({ definition, fields }: Pick<ResourceRecord, 'definition' | 'fields'>): readonly string[] {
  const properties = plainObject(definition.schema['properties']);
  return Object.keys(fields).filter((field) => plainObject(properties[field])['x-telo-scope'] === true);
}

/** The resources of a scoped field, those without kind and name left out: the check has refused them. Pure. */
export function scopedResources(value: unknown): readonly ScopedResource[] {
  return (Array.isArray(value) ? value.filter(isPlainObject) : []).flatMap(({ kind, metadata, ...fields }) => {
    const { name } = plainObject(metadata);
    if (typeof kind !== 'string' || typeof name !== 'string') return [];
    return [{ name, kind, metadata: plainObject(metadata), fields }];
  });
}

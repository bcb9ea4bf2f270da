import type { ResourceInstance } from '@telorun/sdk';
import { isPlainObject } from '../graph/plain.ts';
import type { KernelCore } from './core.ts';
import { type ResourceRecord, readKindRef } from './resource.ts';

/** Every resource that `start` refers to, at any distance, itself among them. Pure. */
export function reachedFrom(core: KernelCore, start: ResourceRecord): ReadonlySet<ResourceRecord> {
  const byInstance = new Map<unknown, ResourceRecord>();
  for (const record of core.records) if (record.instance !== undefined) byInstance.set(record.instance, record);
  const reached = new Set<ResourceRecord>([start]);
  // A set hands out what is added while it is walked.
  for (const record of reached) {
    for (const value of referredIn(record.manifest)) {
      const found = byInstance.get(value) ?? named(record, value);
      if (found !== undefined) reached.add(found);
    }
  }
  return reached;
}

function named({ scope }: ResourceRecord, value: unknown): ResourceRecord | undefined {
  const ref = readKindRef(value);
  return ref === undefined ? undefined : scope.find(ref.name, ref.alias);
}

/** What may stand for a resource: a live instance, or `{kind, name, alias?}`. */
function* referredIn(value: unknown): Generator<ResourceInstance | Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) for (const item of value) yield* referredIn(item);
  else if (!isPlainObject(value)) yield value;
  else {
    yield value;
    for (const member of Object.values(value)) yield* referredIn(member);
  }
}

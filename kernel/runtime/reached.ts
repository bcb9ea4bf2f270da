import type { ResourceInstance } from '@telorun/sdk';
import { leavesOf } from '../graph/leaves.ts';
import { isPlainObject } from '../graph/plain.ts';
import { Reference } from '../manifest/tagged.ts';
import type { KernelCore } from './core.ts';
import { kindIn } from './declare.ts';
import { canonicalKind } from './definitions.ts';
import { type ResourceRecord, readKindRef } from './resource.ts';
import { scopedFields, scopedResources } from './scoped.ts';

/** Every resource that `start` refers to, at any distance, itself among them. Pure. */
function reachedFrom(core: KernelCore, start: ResourceRecord): ReadonlySet<ResourceRecord> {
  const byInstance = new Map<unknown, ResourceRecord>();
  for (const record of core.records) if (record.instance !== undefined) byInstance.set(record.instance, record);
  const reached = new Set<ResourceRecord>([start]);
  // A set hands out what is added while it is walked.
  for (const record of reached) {
    for (const inner of record.inner ?? []) reached.add(inner);
    for (const value of referredIn(record.manifest)) {
      const found = byInstance.get(value) ?? named(record, value);
      if (found !== undefined) reached.add(found);
    }
    for (const field of scopedFields(record)) {
      for (const leaf of leavesOf(record.fields[field])) {
        const found = leaf instanceof Reference ? record.scope.find(leaf.name, leaf.alias) : undefined;
        if (found !== undefined) reached.add(found);
      }
    }
  }
  return reached;
}

/** Kind and name of what is reached, resources that live inside a call among them. Pure. */
export function kindsReached(
  core: KernelCore,
  start: ResourceRecord,
): readonly { readonly kind: string; readonly name: string }[] {
  const kinds: { readonly kind: string; readonly name: string }[] = [];
  for (const record of reachedFrom(core, start)) {
    kinds.push(record);
    for (const { kind, name } of scopedFields(record).flatMap((field) => scopedResources(record.fields[field])))
      kinds.push({ kind: canonicalKind(kindIn(core, record.scope, kind)), name });
  }
  return kinds;
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

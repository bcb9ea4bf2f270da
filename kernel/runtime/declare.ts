import { InvokeError } from '@telorun/sdk';
import type { KindRef, ResourceManifest } from '@telorun/sdk';
import { isPlainObject } from '../graph/plain.ts';
import { referenceSlots } from '../graph/slots.ts';
import type { KindDefinition } from '../kinds/kind.ts';
import type { LoadedDocument } from '../manifest/model.ts';
import type { KernelCore } from './core.ts';
import { canonicalKind } from './definitions.ts';
import { withReferences } from './expand.ts';
import { readKindRef, referenceTo, refTo } from './resource.ts';
import type { ResourceRecord } from './resource.ts';
import { scopeOfKind } from './scope.ts';
import type { ModuleScope } from './scope.ts';
import { withSelf } from './self.ts';
import { scopedFields, scopedResources } from './scoped.ts';

interface Declaration {
  readonly name: string;
  readonly definition: KindDefinition;
  /** Its kind as authored; absent for a ready instance. */
  readonly authored?: string;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly document?: LoadedDocument;
  readonly pointer?: string;
}

/**
 * Adds one resource to a scope, its references not resolved yet.
 *
 * @throws InvokeError ERR_DUPLICATE_RESOURCE
 */
export function declare(core: KernelCore, scope: ModuleScope, declaration: Declaration): ResourceRecord {
  const { name, definition, authored, metadata, document, pointer } = declaration;
  if (scope.records.has(name)) {
    throw new InvokeError(
      'ERR_DUPLICATE_RESOURCE',
      `Cannot declare resource "${name}": module "${scope.name}" has one of that name`,
      {
        name,
        hint: 'Give each resource a name of its own.',
      },
    );
  }
  const kind = canonicalKind(definition);
  const manifest: ResourceManifest & Record<string, unknown> = {
    kind,
    metadata: { ...metadata, name, module: scope.name },
  };
  const record: ResourceRecord = {
    scope,
    name,
    kind,
    definition,
    document,
    pointer,
    fields: withSelf(scope, declaration),
    home: authored === undefined ? scope.base : scopeOfKind(scope, authored),
    manifest,
    readiness: 0,
    state: 'declared',
  };
  scope.records.set(name, record);
  core.records.push(record);
  return record;
}

/**
 * Turns each `!ref` of a declared resource into `{kind, name, alias?}` and lifts inline resources out of its reference
 * slots. Effect: on the record's manifest, and on the scope for what is lifted.
 *
 * @throws InvokeError ERR_REF_UNRESOLVED, ERR_DUPLICATE_RESOURCE
 */
export function settleReferences(core: KernelCore, record: ResourceRecord): void {
  const { definition, fields } = record;
  Object.assign(record.manifest, membersSettled(core, record, { definition, fields, around: new Map() }));
  for (const { path, container, key } of referenceSlots(record.definition.schema, record.manifest)) {
    const value: unknown = Reflect.get(container, key);
    if (!isPlainObject(value) || typeof value['kind'] !== 'string' || readKindRef(value) !== undefined) continue;
    const segments = path.map((segment, index) => nameOf(record.manifest, path.slice(0, index + 1)) ?? String(segment));
    const lifted = declareInline(core, record, {
      name: [record.name, ...segments].join('_').replaceAll(/\W/g, '_'),
      value: writtenAt(record.fields, path) ?? value,
      pointer: `${record.pointer ?? record.name}#/${segments.join('/')}`,
    });
    Reflect.set(container, key, refTo(lifted));
  }
}

/**
 * Registers an inline `{kind, ...config}` written inside `owner`; its kind is resolved in the owner's module.
 *
 * @throws InvokeError ERR_REF_UNRESOLVED, ERR_DUPLICATE_RESOURCE
 */
export function declareInline(
  core: KernelCore,
  owner: ResourceRecord,
  inline: { readonly name: string; readonly value: Readonly<Record<string, unknown>>; readonly pointer?: string },
): ResourceRecord {
  const { kind, metadata, ...fields } = inline.value;
  const definition = kindIn(core, owner.scope, String(kind));
  const record = declare(core, owner.scope, {
    name: inline.name,
    definition,
    authored: String(kind),
    fields,
    ...(isPlainObject(metadata) ? { metadata } : {}),
    ...(owner.document === undefined ? {} : { document: owner.document }),
    ...(inline.pointer === undefined ? {} : { pointer: inline.pointer }),
  });
  settleReferences(core, record);
  return record;
}

type ScopedRefs = ReadonlyMap<string, KindRef>;

/** A resource, declared or inline, and what lives around it. */
interface Holder {
  readonly definition: KindDefinition;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly around: ScopedRefs;
}

/** Members with their references resolved. What is written to live inside stays as authored: it is declared for each call. */
function membersSettled(core: KernelCore, record: ResourceRecord, holder: Holder): Record<string, unknown> {
  const kept = scopedFields(holder);
  const scoped = new Map(holder.around);
  for (const { name, kind } of kept.flatMap((field) => scopedResources(holder.fields[field])))
    scoped.set(name, { kind: canonicalKind(kindIn(core, record.scope, kind)), name });
  const members = Object.entries(holder.fields).map(([field, value]): [string, unknown] => [
    field,
    kept.includes(field) ? value : settled(core, record, scoped, value),
  ]);
  return Object.fromEntries(members);
}

function settled(core: KernelCore, record: ResourceRecord, scoped: ScopedRefs, value: unknown): unknown {
  return withReferences(value, {
    reference: (reference) =>
      (reference.alias === undefined ? scoped.get(reference.name) : undefined) ?? referenceTo(record.scope, reference),
    members: (fields) => {
      const { kind } = fields;
      const inline = typeof kind !== 'string' || readKindRef(fields) !== undefined ? undefined : kind;
      const definition =
        inline === undefined ? undefined : core.definitions.find(record.scope.module ?? core.module, inline);
      if (definition === undefined || scopedFields({ definition, fields }).length === 0) return undefined;
      return membersSettled(core, record, { definition, fields, around: new Map() });
    },
  });
}

/** The kind that `authored` means in a scope; in a built-in module, its canonical name. */
export function kindIn(core: KernelCore, scope: ModuleScope, authored: string): KindDefinition {
  return core.definitions.resolve(scope.module ?? core.module, authored);
}

/** The `name` of an array's element, so that reordering a list keeps the identity of what is inline in it. */
function nameOf(value: unknown, path: readonly (string | number)[]): string | undefined {
  if (typeof path.at(-1) !== 'number') return undefined;
  const element = at(value, path);
  return isPlainObject(element) && typeof element['name'] === 'string' ? element['name'] : undefined;
}

function writtenAt(
  fields: Readonly<Record<string, unknown>>,
  path: readonly (string | number)[],
): Readonly<Record<string, unknown>> | undefined {
  const value = at(fields, path);
  return isPlainObject(value) ? value : undefined;
}

function at(value: unknown, path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>(
    (found, key) => (typeof found === 'object' && found !== null ? Reflect.get(found, key) : undefined),
    value,
  );
}

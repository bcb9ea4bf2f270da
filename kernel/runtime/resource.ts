import { InvokeError } from '@telorun/sdk';
import type { KindRef, ResourceContext, ResourceInstance, ResourceManifest } from '@telorun/sdk';
import { isPlainObject } from '../graph/plain.ts';
import type { KindDefinition } from '../kinds/kind.ts';
import type { LoadedDocument } from '../manifest/model.ts';
import type { Reference } from '../manifest/tagged.ts';
import type { ModuleScope } from './scope.ts';

/** One resource of one module scope, from its declaration to its teardown. Only `initialize.ts` moves its state. */
export interface ResourceRecord {
  readonly scope: ModuleScope;
  readonly name: string;
  /** Canonical. */
  readonly kind: string;
  readonly definition: KindDefinition;
  /** The declaring document; that of the owner for an inline resource. */
  readonly document: LoadedDocument | undefined;
  /** Where an inline resource was written, such as `evalInfo#/targets/inline`. */
  readonly pointer: string | undefined;
  /** Members as authored, tags included. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** What the controller is given; its reference slots change from `{kind, name}` to live instances before `init`. */
  readonly manifest: ResourceManifest & Record<string, unknown>;
  /** The scope that its kind is defined in. */
  readonly home: ModuleScope;
  /** The resources of an instance of a template, once they are there. */
  inner?: readonly ResourceRecord[];
  /** Position in the order in which instances came to be; 0 before. */
  readiness: number;
  state: 'declared' | 'creating' | 'created' | 'ready' | 'ended';
  instance?: ResourceInstance;
  context?: ResourceContext;
}

/** The reference that stands for a record until its instance is put in its place. Pure. */
export function refTo(record: ResourceRecord, alias?: string): KindRef {
  const ref = { kind: record.kind, name: record.name };
  return alias === undefined ? ref : { ...ref, alias };
}

/** Reads `{kind, name, alias?}` and nothing else; answers undefined for any other value. Pure. */
export function readKindRef(value: unknown): KindRef | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { kind, name, alias, ...rest }: Record<string, unknown> = { ...value };
  if (typeof kind !== 'string' || typeof name !== 'string' || Object.keys(rest).length > 0) return undefined;
  if (alias === undefined) return { kind, name };
  return typeof alias === 'string' ? { kind, name, alias } : undefined;
}

/** Every `{kind, name, alias?}` inside a value, in authored order. Pure. */
export function* kindRefsOf(value: unknown): Generator<KindRef> {
  const ref = isPlainObject(value) ? readKindRef(value) : undefined;
  if (ref !== undefined) yield ref;
  else if (Array.isArray(value)) for (const item of value) yield* kindRefsOf(item);
  else if (isPlainObject(value)) for (const item of Object.values(value)) yield* kindRefsOf(item);
}

/**
 * The `{kind, name, alias?}` form of a `!ref` written in `scope`. Pure.
 *
 * @throws InvokeError ERR_REF_UNRESOLVED
 */
export function referenceTo(scope: ModuleScope, reference: Reference): KindRef {
  const record = scope.find(reference.name, reference.alias);
  if (record !== undefined) return refTo(record, reference.alias);
  const { file, line, column } = reference.position;
  throw new InvokeError(
    'ERR_REF_UNRESOLVED',
    `Cannot resolve !ref ${reference.text} at ${file}:${line}:${column}: no resource has that name`,
    {
      reference: reference.text,
      hint: 'Declare the resource, or correct the name.',
    },
  );
}

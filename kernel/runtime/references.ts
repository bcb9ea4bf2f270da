import { getRefIdentity, InvokeError } from '@telorun/sdk';
import type { KindRef, ResourceInstance } from '@telorun/sdk';
import { isPlainObject } from '../graph/plain.ts';
import { Reference } from '../manifest/tagged.ts';
import type { KernelCore } from './core.ts';
import { declareInline } from './declare.ts';
import { isInstance } from './instances.ts';
import { readKindRef, referenceTo, refTo } from './resource.ts';
import type { ResourceRecord } from './resource.ts';
import type { ModuleScope } from './scope.ts';

export interface Expectation<T extends ResourceInstance> {
  readonly guard: (instance: ResourceInstance) => instance is T;
  /** What the reference is for, in messages. */
  readonly describe: string;
  /** What is expected there, in messages. */
  readonly expects?: string;
}

/**
 * The live instance that a reference, or an instance, means in `scope`. Pure.
 *
 * @throws InvokeError ERR_REF_REQUIRED, ERR_REF_UNRESOLVED
 */
export function resolveRef<T extends ResourceInstance>(
  scope: ModuleScope,
  value: unknown,
  expectation: Expectation<T>,
): T {
  const { guard, describe, expects } = expectation;
  if (value === undefined || value === null) {
    throw new InvokeError('ERR_REF_REQUIRED', `Cannot resolve ${describe}: there is no reference`, {
      hint: 'State the reference with !ref.',
    });
  }
  const instance = liveInstance(scope, value);
  if (instance !== undefined && guard(instance)) return instance;
  const state = instance === undefined ? 'nothing live is meant by it' : 'what it means has another shape';
  throw new InvokeError(
    'ERR_REF_UNRESOLVED',
    `Cannot resolve ${describe}: ${state}${expects === undefined ? '' : `, ${expects} is expected`}`,
    {
      reference: readKindRef(value) ?? getRefIdentity(value),
      hint: 'Refer to a declared resource of the kind expected.',
    },
  );
}

function liveInstance(scope: ModuleScope, value: unknown): ResourceInstance | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (value instanceof Reference) return scope.find(value.name, value.alias)?.instance;
  if (isInstance(value)) return value;
  const ref = readKindRef(value);
  if (ref !== undefined) return scope.find(ref.name, ref.alias)?.instance;
  return isPlainObject(value) && typeof value['kind'] === 'string' ? undefined : value;
}

/**
 * Answers the reference for a value of a reference slot; an inline resource is registered under `name` first.
 *
 * Effect: in `init` only, adds to the resources that the boot initialises.
 *
 * @throws InvokeError ERR_REF_UNRESOLVED, ERR_RESOURCE_NOT_FOUND, ERR_DUPLICATE_RESOURCE
 */
export function ensureKindRef(core: KernelCore, owner: ResourceRecord, value: unknown, name?: string): KindRef {
  const identity = getRefIdentity(value);
  if (identity !== undefined) return { kind: identity.kind, name: identity.name };
  if (value instanceof Reference) return referenceTo(owner.scope, value);
  const ref = readKindRef(value);
  if (ref !== undefined) return ref;
  if (!isPlainObject(value) || typeof value['kind'] !== 'string') {
    throw new InvokeError(
      'ERR_REF_UNRESOLVED',
      `Cannot register an inline resource of "${owner.name}": it has no kind`,
      {
        hint: 'Write a !ref, or a resource with its kind.',
      },
    );
  }
  const { registered } = owner.scope.registrar ?? core;
  if (registered === undefined) {
    throw new InvokeError(
      'ERR_RESOURCE_NOT_FOUND',
      `Cannot register an inline resource of "${owner.name}": the boot is over`,
      {
        hint: 'Call ensureKindRef in init.',
      },
    );
  }
  const record = declareInline(core, owner, { name: name ?? `${owner.name}_inline_${registered.length}`, value });
  registered.push(record);
  return refTo(record);
}

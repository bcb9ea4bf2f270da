import type { ResourceContext, ResourceInstance } from './controller.ts';
import type { InvokeContext } from './invoke-context.ts';
import { InvokeError } from './invoke-error.ts';
import { getRefIdentity } from './ref-identity.ts';

/** A live instance that takes inputs and answers. */
export type InvocableInstance = ResourceInstance & { invoke: NonNullable<ResourceInstance['invoke']> };

/** Whether an instance can be invoked. Pure. */
export function isInvocable(instance: unknown): instance is InvocableInstance {
  return typeof instance === 'object' && instance !== null && typeof Reflect.get(instance, 'invoke') === 'function';
}

function isAny(_instance: ResourceInstance): _instance is ResourceInstance {
  return true;
}

/** The live instance of a slot that holds an instance or a reference. @throws ERR_REF_REQUIRED, ERR_REF_UNRESOLVED */
export function resolveRefInstance(
  field: unknown,
  ctx: Pick<ResourceContext, 'resolveRef'>,
  describe: string,
): ResourceInstance {
  return getRefIdentity(field) !== undefined && isInvocable(field) ? field : ctx.resolveRef(field, isAny, describe);
}

/** The error of a dispatch whose target cannot be invoked. Pure. */
function notInvokable(describe: string): InvokeError {
  return new InvokeError('ERR_RESOURCE_NOT_INVOKABLE', `Cannot invoke ${describe}: it has no invoke`, {
    hint: 'Refer to a resource whose kind is invocable.',
  });
}

/**
 * Dispatches a live instance: through the kernel's chokepoint where it is a declared resource, else directly.
 *
 * @throws InvokeError ERR_RESOURCE_NOT_INVOKABLE
 */
export function dispatchInstance(
  ctx: Pick<ResourceContext, 'invokeResolved'>,
  instance: ResourceInstance,
  inputs: unknown,
  options: { readonly invokeCtx: InvokeContext | undefined; readonly describe: string },
): Promise<unknown> {
  const identity = getRefIdentity(instance);
  if (identity !== undefined) {
    return ctx.invokeResolved(identity.kind, identity.name, instance, inputs, options.invokeCtx);
  }
  if (!isInvocable(instance)) throw notInvokable(options.describe);
  return instance.invoke(inputs, options.invokeCtx);
}

/** Answers what invokes the resource in a slot, through the kernel's chokepoint. The reference is resolved once, at first use. */
export function resolveInvocableDispatcher(
  field: unknown,
  ctx: Pick<ResourceContext, 'resolveRef' | 'invokeResolved'>,
  describe: string,
): (inputs: unknown, invokeCtx?: InvokeContext) => Promise<unknown> {
  let instance: ResourceInstance | undefined;
  return async (inputs, invokeCtx) => {
    instance ??= resolveRefInstance(field, ctx, describe);
    return dispatchInstance(ctx, instance, inputs, { invokeCtx, describe });
  };
}

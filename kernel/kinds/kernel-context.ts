import type { ResourceContext } from '@telorun/sdk';
import type { KernelResourceContext } from './kind.ts';

/**
 * The context as the embedded kernel gives it to its own kinds. Pure.
 *
 * @throws TypeError in any other host: these kinds are part of the kernel.
 */
export function kernelContext(ctx: ResourceContext): KernelResourceContext {
  if (isKernelContext(ctx)) return ctx;
  throw new TypeError('This kind needs the context of the embedded kernel');
}

/** Whether a context is one that the embedded kernel gives to its own kinds. Pure. */
export function isKernelContext(ctx: ResourceContext): ctx is KernelResourceContext {
  return 'kernel' in ctx && typeof ctx.kernel === 'object' && ctx.kernel !== null;
}

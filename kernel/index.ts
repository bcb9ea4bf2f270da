export { openKernel } from './runtime/kernel.ts';
export type { Kernel, KernelOptions, NamedInstance } from './runtime/kernel.ts';
export { isManifestError } from './runtime/manifest-error.ts';
export type { ManifestError } from './runtime/manifest-error.ts';
export type { KernelEvent, KernelListener } from './events.ts';

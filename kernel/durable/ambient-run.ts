import { durableHandleOf, stepPath } from '@telorun/sdk';
import type { DurableRunHandle, InvokeContext, ResourceManifest } from '@telorun/sdk';
import { noRun } from './errors.ts';

/** The run that a durable kind is performed in, and the path that is its own there. */
export interface AmbientRun {
  readonly handle: DurableRunHandle;
  readonly path: string;
  /** `<Kind>/<name>` of the resource. */
  readonly resource: string;
}

/** Pure. @throws InvokeError ERR_DURABLE_NO_RUN outside a durable run. */
export function ambientRun({ kind, metadata }: ResourceManifest, invokeCtx: InvokeContext | undefined): AmbientRun {
  const resource = `${kind}/${metadata.name}`;
  const handle = durableHandleOf(invokeCtx);
  if (handle === undefined) throw noRun(resource);
  return { handle, path: invokeCtx?.durablePath ?? stepPath('steps', metadata.name), resource };
}

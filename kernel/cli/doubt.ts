import type { WaitRecord } from '@telorun/sdk/journal';

const DOUBT_PATH = /\/doubt(?:\[\d+\])?$/;

/** Whether a run waits there for a decision about a call in doubt. Pure. @see kernel-specs/host-operations.md HO-21 */
export function isDoubt({ path, resource }: Pick<WaitRecord, 'path' | 'resource'>): boolean {
  return resource.startsWith('Doubt/') && DOUBT_PATH.test(path);
}

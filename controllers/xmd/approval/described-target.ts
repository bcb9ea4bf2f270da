import { plannedPath } from '../operations/effect-problem.ts';
import type { PlannedEffect } from '../preflight/plan.ts';

/** What an effect is done to, as plain data. */
export type DescribedTarget =
  | { readonly kind: 'read' | 'write' | 'delete' | 'folder'; readonly path: string }
  | { readonly kind: 'request'; readonly method: string; readonly url: string }
  | { readonly kind: 'operation'; readonly operation: string };

const KINDS: ReadonlyMap<string, 'read' | 'write' | 'delete' | 'folder'> = new Map([
  ['File:read', 'read'],
  ['File:write', 'write'],
  ['File.Delete', 'delete'],
  ['Dir', 'folder'],
]);

/** The path, the request or the operation of the host that an effect is planned with. Pure. */
export function describeTarget(effect: PlannedEffect): DescribedTarget {
  const { operation, input } = effect;
  const { key } = operation.identity;
  if (operation.origin === 'host') {
    return { kind: 'operation', operation: key };
  }
  const kind = KINDS.get(key);
  if (kind !== undefined) {
    return { kind, path: plannedPath(effect) };
  }
  const { method, url } = input;
  if (typeof method !== 'string' || typeof url !== 'string') {
    throw new TypeError('A planned Fetch has a request');
  }
  return { kind: 'request', method, url };
}

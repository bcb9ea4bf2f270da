import type { RefIdentity } from './controller.ts';

const KEY = Symbol.for('telo.refIdentity');

/** Says of a live instance where it is declared. Effect: marks the instance. `kind` is the canonical kind. */
export function stampRefIdentity(instance: object, kind: string, name: string, origin?: RefIdentity['origin']): void {
  const identity: RefIdentity = Object.freeze(origin === undefined ? { kind, name } : { kind, name, origin });
  Object.defineProperty(instance, KEY, { value: identity, configurable: true });
}

function isRefIdentity(value: unknown): value is RefIdentity {
  return (
    typeof value === 'object' &&
    value !== null &&
    typeof Reflect.get(value, 'kind') === 'string' &&
    typeof Reflect.get(value, 'name') === 'string'
  );
}

/** Where a live instance is declared, when it says so. Pure. */
export function getRefIdentity(instance: unknown): RefIdentity | undefined {
  if (typeof instance !== 'object' || instance === null) return undefined;
  const identity: unknown = Reflect.get(instance, KEY);
  return isRefIdentity(identity) ? identity : undefined;
}

import type { RefIdentity } from './controller.ts';
import type { DurableTarget } from './durable-run.ts';
import { InvokeError } from './invoke-error.ts';

/** The target of an effect, from the identity of the instance that performs it. Pure. */
export function targetOf({ kind, name, origin }: RefIdentity): DurableTarget {
  return origin === undefined ? { kind, name } : { kind, name, ...origin };
}

/**
 * Writes a target as canonical JSON, members in the order v, kind, name, module, pointer, scope.
 *
 * Pure.
 *
 * @throws InvokeError ERR_DURABLE_TARGET_UNENCODABLE when the declaring module is not known.
 */
export function encodeDurableTarget(target: DurableTarget): string {
  const { kind, name, module, pointer, scope, scoped } = target;
  if (module === undefined || (scoped === true && scope === undefined)) {
    const missing = module === undefined ? 'module' : 'scope';
    throw new InvokeError(
      'ERR_DURABLE_TARGET_UNENCODABLE',
      `Cannot write the target ${kind} "${name}" down: its ${missing} is not known`,
      { kind, name, missing, hint: 'Dispatch a resource that a manifest declares.' },
    );
  }
  return JSON.stringify({
    v: 1,
    kind,
    name,
    module,
    ...(pointer === undefined ? {} : { pointer }),
    ...(scope === undefined ? {} : { scope: { owner: scope.owner, site: scope.site, stepPath: scope.stepPath } }),
  });
}

function undecodable(cause?: unknown): InvokeError {
  return new InvokeError(
    'ERR_DURABLE_TARGET_UNDECODABLE',
    'Cannot read the target of an effect: it is not a target of version 1',
    { hint: 'Check which release wrote the record.' },
    { cause },
  );
}

function member(value: object, name: string): string | undefined {
  const found: unknown = Reflect.get(value, name);
  if (found === undefined || typeof found === 'string') return found;
  throw undecodable();
}

function required(value: object, name: string): string {
  const found = member(value, name);
  if (found === undefined) throw undecodable();
  return found;
}

function parse(text: string): object {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw undecodable(error);
  }
  if (typeof value !== 'object' || value === null || Reflect.get(value, 'v') !== 1) throw undecodable();
  return value;
}

/** Reads what `encodeDurableTarget` wrote. Pure. @throws InvokeError ERR_DURABLE_TARGET_UNDECODABLE */
export function decodeDurableTarget(text: string): DurableTarget {
  const value = parse(text);
  const pointer = member(value, 'pointer');
  const scope: unknown = Reflect.get(value, 'scope');
  if (scope !== undefined && (typeof scope !== 'object' || scope === null)) throw undecodable();
  return {
    kind: required(value, 'kind'),
    name: required(value, 'name'),
    module: required(value, 'module'),
    ...(pointer === undefined ? {} : { pointer }),
    ...(scope === undefined
      ? {}
      : {
          scoped: true,
          scope: {
            owner: required(scope, 'owner'),
            site: required(scope, 'site'),
            stepPath: required(scope, 'stepPath'),
          },
        }),
  };
}

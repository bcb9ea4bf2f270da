import type { ResourceContext, ResourceManifest } from '@telorun/sdk';
import { runIdInvalid } from './errors.ts';

/** A field of the resource, its expressions evaluated over the call's inputs. Pure. */
export function field(
  resource: ResourceManifest,
  name: string,
  scope: { ctx: ResourceContext; inputs: unknown },
): unknown {
  const stated = resource[name];
  return stated === undefined ? undefined : scope.ctx.expandValue(stated, { inputs: scope.inputs ?? {} });
}

/** A member of the call's inputs; undefined where there is none. Pure. */
export function input(inputs: unknown, name: string): unknown {
  if (typeof inputs !== 'object' || inputs === null || !Object.hasOwn(inputs, name)) return undefined;
  const value: unknown = Reflect.get(inputs, name);
  return value;
}

/** The run that a kind is about: its field, else the call's input. @throws InvokeError ERR_DURABLE_RUN_ID_INVALID */
export function runOf(resource: ResourceManifest, scope: { ctx: ResourceContext; inputs: unknown }): string {
  const run = field(resource, 'run', scope) ?? input(scope.inputs, 'run');
  if (typeof run !== 'string' || run === '') throw runIdInvalid(`${resource.kind}/${resource.metadata.name}`);
  return run;
}

/** Epoch milliseconds of an instant: a number, an ISO date or a timestamp; NaN or undefined for anything else. Pure. */
export function instant(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  if (typeof value === 'bigint') return Number(value);
  if (typeof value === 'string') return Date.parse(value);
  return value instanceof Date ? value.getTime() : undefined;
}

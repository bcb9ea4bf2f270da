import { InvokeError, tryParseDurationMs } from '@telorun/sdk';
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

/** Milliseconds of a duration such as `90s`. Pure. @throws InvokeError ERR_INVALID_VALUE */
export function durationMs(value: unknown, where: string): number {
  const ms = typeof value === 'string' ? tryParseDurationMs(value) : null;
  if (ms !== null) return ms;
  const shown = typeof value === 'string' ? `"${value}"` : `of type ${typeof value}`;
  throw new InvokeError(
    'ERR_INVALID_VALUE',
    `Cannot read the duration ${shown} in ${where}: it is not a number followed by one of ms, s, m, h, d`,
    { hint: 'Write a number and a unit, such as 90s.' },
  );
}

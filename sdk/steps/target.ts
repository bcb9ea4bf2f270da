import type { KindRef, ResourceInstance } from '../controller.ts';
import { dispatchInstance, isInvocable, resolveRefInstance } from '../dispatch.ts';
import type { DurableTarget } from '../durable-run.ts';
import { targetOf } from '../durable-target.ts';
import type { InvokeContext } from '../invoke-context.ts';
import { codeOf } from '../invoke-error.ts';
import { getRefIdentity } from '../ref-identity.ts';
import type { Frame } from './frame.ts';
import { isObject, type Step } from './step.ts';

/** What an invoke step dispatches. */
export interface StepTarget {
  /** Where it is declared; absent for an instance that does not say. */
  readonly declared: DurableTarget | undefined;
  readonly describe: string;
  readonly dispatch: (inputs: unknown, invokeCtx: InvokeContext | undefined) => Promise<unknown>;
}

/** Whether a value is a reference by kind and name. Pure. */
export function isKindRef(value: unknown): value is KindRef {
  return isObject(value) && typeof value['kind'] === 'string' && typeof value['name'] === 'string';
}

function ofInstance(instance: ResourceInstance, frame: Frame, describe: string): StepTarget {
  const identity = getRefIdentity(instance);
  return {
    declared: identity === undefined ? undefined : targetOf(identity),
    describe: identity?.name ?? describe,
    dispatch: (inputs, invokeCtx) => dispatchInstance(frame.ctx, instance, inputs, { invokeCtx, describe }),
  };
}

function byName({ kind, name }: KindRef, frame: Frame): StepTarget {
  return {
    declared: { kind, name },
    describe: name,
    dispatch: (inputs, ctx) => frame.ctx.invoke(kind, name, inputs, ctx === undefined ? {} : { ctx }),
  };
}

function scoped(ref: KindRef, instance: ResourceInstance, frame: Frame, stepPath: string): StepTarget {
  const target = ofInstance(instance, frame, ref.name);
  const scope = { owner: frame.resourceName, site: 'with', stepPath };
  const declared: DurableTarget = { kind: ref.kind, name: ref.name, ...target.declared, scoped: true, scope };
  return { ...target, declared };
}

/** Resolves what a step invokes: a live instance, one of the `with:` scope, a declared resource, or one known by name. */
export function resolveTarget(step: Step, frame: Frame, path: string): StepTarget {
  const value = frame.inlineRef(step) ?? step.invoke;
  const describe = `invoke of step "${step.name}"`;
  if (isInvocable(value)) return ofInstance(value, frame, describe);
  if (isKindRef(value)) {
    const instance = frame.scope?.resolve(value);
    if (instance !== undefined) return scoped(value, instance, frame, path);
  }
  try {
    return ofInstance(resolveRefInstance(value, frame.ctx, describe), frame, describe);
  } catch (error) {
    // By name, the kernel finds what was declared while the application ran.
    if (codeOf(error) !== 'ERR_REF_UNRESOLVED' || !isKindRef(value)) throw error;
    return byName(value, frame);
  }
}

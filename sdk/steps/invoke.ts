import { deriveContext, type InvokeContext } from '../invoke-context.ts';
import { integerInput } from '../integer.ts';
import { decide, decideTruth, type Frame } from './frame.ts';
import { NO_RETRY, readRetryPolicy } from './retry-policy.ts';
import { withRetry } from './retry.ts';
import type { Step } from './step.ts';
import { resolveTarget } from './target.ts';
import { withTimeout } from './timeout.ts';

function expandInputs(step: Step, frame: Frame): unknown {
  return frame.ctx.expandValue(step.inputs, frame.cel) ?? {};
}

/** The context that attempt number `attempt` is dispatched with. The attempt is stated only where none is repeated. */
function contextOf(frame: Frame, path: string, attempt: number): InvokeContext | undefined {
  const { invokeCtx, handle } = frame;
  if (invokeCtx?.durable === undefined) return invokeCtx;
  const counted = handle?.recorded === undefined ? undefined : attempt;
  return deriveContext(invokeCtx, { durablePath: path, attempt: counted });
}

/**
 * Runs one invoke step and keeps `{result}` under its name.
 *
 * Durable: `<path>/when`, `<path>/inputs` where the step has inputs, `<path>` on completion.
 *
 * @see kernel-specs/steps.md ST-10 to ST-27
 */
export async function executeInvokeStep(step: Step, path: string, frame: Frame): Promise<void> {
  if (step.when !== undefined && !(await decideTruth(frame, `${path}/when`, 'predicate', step.when))) return;
  const { handle, ctx, cel } = frame;
  const inputs =
    step.inputs === undefined ? {} : await decide(frame, `${path}/inputs`, 'inputs', () => expandInputs(step, frame));
  const target = resolveTarget(step, frame, path);
  const timeoutMs =
    step.timeout === undefined ? undefined : integerInput(ctx.expandValue(step.timeout, cel), 'timeout');
  const perform = (attempt: number): Promise<unknown> => {
    // The context is made only when the effect is performed: a replay needs none.
    const execute = async (): Promise<unknown> => {
      const invokeCtx = contextOf(frame, path, attempt);
      if (timeoutMs === undefined) return target.dispatch(inputs, invokeCtx);
      return withTimeout(step.name, timeoutMs, invokeCtx, (limited) => target.dispatch(inputs, limited));
    };
    return handle === undefined ? execute() : handle.step(path, target.declared, inputs, execute);
  };
  const policy = step.retry === undefined ? NO_RETRY : readRetryPolicy(ctx.expandValue(step.retry, cel));
  const result = await withRetry(frame, { step: step.name, path, resource: target.describe, policy, perform });
  frame.results[step.name] = { result };
}

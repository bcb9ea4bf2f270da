import type { ResourceContext } from '../controller.ts';
import { durableHandleOf, type InvokeContext } from '../invoke-context.ts';
import { journalingSuppressed } from '../journaling.ts';
import { passesUncaught } from '../passing.ts';
import { stepPath } from '../step-path.ts';
import { leaveWaits } from './abandoned-wait.ts';
import { readFailure, recordableFailure, type SequenceError } from './failure.ts';
import { isObject } from './step.ts';

/** One operation guarded by `catches`. */
export interface GuardedOperation {
  readonly ctx: ResourceContext;
  readonly resourceName: string;
  /** Rows `{when?, value?}`, not expanded. */
  readonly catches: unknown;
  /** What the rows see beside `error`. */
  readonly cel: Readonly<Record<string, unknown>>;
  readonly invokeCtx?: InvokeContext;
  /** The path of the operation; its ambient step path when absent. */
  readonly path?: string;
}

function rowsOf(catches: unknown): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(catches) ? catches.filter(isObject) : [];
}

function matchingRow(operation: GuardedOperation, error: SequenceError): number {
  const { ctx, cel, catches } = operation;
  return rowsOf(catches).findIndex(
    ({ when }) => when === undefined || Boolean(ctx.expandValue(when, { ...cel, error })),
  );
}

function valueOf(operation: GuardedOperation, error: SequenceError, row: number): unknown {
  const value = rowsOf(operation.catches)[row]?.['value'];
  return value === undefined ? null : operation.ctx.expandValue(value, { ...operation.cel, error });
}

function unreachable(): never {
  throw new TypeError('A recorded decision is never computed');
}

function readRow(recorded: unknown): number {
  const row = isObject(recorded) ? recorded['row'] : undefined;
  return typeof row === 'number' ? row : -1;
}

/**
 * Performs an operation; a failure that a row of `catches` matches is answered with that row's value.
 *
 * Durable: the failure and the row at `<path>/catch` (attempt a >= 1: `catch[a]`); once recorded, the operation is not
 * performed again. What passes every `catch` passes.
 *
 * @see kernel-specs/steps.md ST-37
 */
export async function withCatches(operation: GuardedOperation, perform: () => Promise<unknown>): Promise<unknown> {
  const { ctx, invokeCtx, resourceName } = operation;
  const ambient = durableHandleOf(invokeCtx);
  const handle = ambient === undefined || journalingSuppressed(ctx, invokeCtx, ambient) ? undefined : ambient;
  const base = operation.path ?? invokeCtx?.durablePath ?? stepPath('steps', resourceName);
  const attempt = invokeCtx?.attempt ?? 0;
  const at = attempt === 0 ? stepPath(base, 'catch') : stepPath(base, 'catch', attempt);
  if (handle?.recorded?.(at) === true) {
    const recorded: unknown = await handle.decide(at, 'value', unreachable);
    return valueOf(operation, readFailure(recorded, resourceName), readRow(recorded));
  }
  try {
    return await perform();
  } catch (error) {
    if (passesUncaught(error) || invokeCtx?.cancellation.isCancelled === true) throw error;
    const failure = recordableFailure(error, resourceName);
    const row = matchingRow(operation, failure);
    if (row === -1) throw error;
    const recorded: unknown =
      handle === undefined ? failure : await handle.decide(at, 'value', () => ({ ...failure, row }));
    await leaveWaits(
      { clock: { now: () => Date.now() }, handle, invokeCtx },
      { path: base, at, resource: resourceName },
    );
    return valueOf(operation, readFailure(recorded, resourceName), row);
  }
}

import type { ResourceContext } from './controller.ts';
import type { DurableRunHandle, ParkPlace, ParkUntil } from './durable-run.ts';
import type { InvokeContext } from './invoke-context.ts';
import { codeOf, InvokeError } from './invoke-error.ts';

const SUSPENDED = 'ERR_DURABLE_SUSPENDED';

/** A retry backoff of at least this, before jitter, parks the run instead of sleeping. */
export const SUSPENDING_BACKOFF_MS = 30_000;

/**
 * The signal that a run waits. Not an InvokeError, so that no `catches` row can name it.
 *
 * @see kernel-specs/durable-run.md D-30
 */
export class DurableSuspension extends Error {
  readonly code = SUSPENDED;
  readonly runId: string;
  readonly path: string;
  readonly resource: string;
  readonly until: ParkUntil;

  constructor(runId: string, where: ParkPlace, until: ParkUntil) {
    super(`Run "${runId}" waits at "${where.path}"`);
    this.name = 'DurableSuspension';
    this.runId = runId;
    this.path = where.path;
    this.resource = where.resource;
    this.until = until;
  }
}

/** Whether `error` is the signal that a run waits. Pure: by code, so that a second copy of the package is recognised. */
export function isSuspension(error: unknown): error is DurableSuspension {
  return codeOf(error) === SUSPENDED;
}

const latch = new WeakMap<DurableRunHandle, DurableSuspension[]>();

/** The first signal raised under this handle, whether or not it reached the body's end. Pure. */
export function latchedSuspension(handle: DurableRunHandle): DurableSuspension | undefined {
  return latch.get(handle)?.[0];
}

/** The first signal raised under this handle at a step path or below it. Pure. */
export function suspensionBelow(handle: DurableRunHandle, path: string): DurableSuspension | undefined {
  return latch.get(handle)?.find((signal) => signal.path === path || signal.path.startsWith(`${path}/`));
}

/**
 * Parks the run: latches the signal, records the wait, throws the signal.
 *
 * Durable: one wait at `where.path`.
 *
 * @throws DurableSuspension always, unless recording the wait fails; then what that threw.
 */
export async function parkRun(handle: DurableRunHandle, where: ParkPlace, until: ParkUntil): Promise<never> {
  const signal = new DurableSuspension(handle.runId, where, until);
  latch.set(handle, [...(latch.get(handle) ?? []), signal]);
  try {
    await handle.park(where, until);
  } catch (error) {
    // A backend may unwind with a signal of its own; any other error means that the wait is not on record.
    if (!isSuspension(error)) throw error;
  }
  throw signal;
}

/**
 * Asserts that no suspension was swallowed. A backend calls it when a body has returned normally.
 *
 * @throws InvokeError ERR_DURABLE_SUSPENSION_SWALLOWED with `{run, path, resource}`.
 */
export function assertNotSwallowed(handle: DurableRunHandle): void {
  const signal = latchedSuspension(handle);
  if (signal === undefined) return;
  throw new InvokeError(
    'ERR_DURABLE_SUSPENSION_SWALLOWED',
    `Cannot settle run "${handle.runId}": the suspension raised at "${signal.path}" was caught on its way out`,
    {
      run: handle.runId,
      path: signal.path,
      resource: signal.resource,
      hint: 'Rethrow what isSuspension recognises, in every catch between that step and the workflow.',
    },
    { cause: signal },
  );
}

/**
 * Asserts that no open zone forbids a wait.
 *
 * @throws InvokeError ERR_DURABLE_SUSPEND_FORBIDDEN with `{resource, zone, reason}`.
 */
export function assertMaySuspend(
  ctx: Pick<ResourceContext, 'zoneAttributes'>,
  invokeCtx: InvokeContext | undefined,
  where: { readonly resource: string },
): void {
  for (const zone of ctx.zoneAttributes?.(invokeCtx) ?? []) {
    const reason = zone.attributes.noSuspend;
    if (reason === undefined) continue;
    throw new InvokeError(
      'ERR_DURABLE_SUSPEND_FORBIDDEN',
      `Cannot park "${where.resource}" inside "${zone.kind}": ${reason}`,
      { resource: where.resource, zone: zone.kind, reason, hint: `Move the waiting step out of ${zone.kind}.` },
    );
  }
}

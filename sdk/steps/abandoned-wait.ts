import { durableHandleOf } from '../invoke-context.ts';
import { parkRun, suspensionBelow } from '../suspension.ts';
import type { Frame, StepClock } from './frame.ts';

/** A failure that is about to be handled, and where that is on record. */
interface Handled {
  /** The path that failed: waits at it or below it were overtaken. */
  readonly path: string;
  /** The decision that the failure is handled. */
  readonly at: string;
  readonly resource: string;
}

/**
 * Ends this execution when a failure that is handled overtook a wait, in a fan-out that parked one element and failed in
 * another: the body behind that wait has not ended and stays entered until the execution does. The run is due at once.
 *
 * Durable: a wait at the decision, for this instant. Where nothing is recorded, the overtaken wait comes first.
 *
 * @throws DurableSuspension
 * @see kernel-specs/steps.md ST-39
 */
export async function leaveWaits(
  frame: Pick<Frame, 'handle' | 'invokeCtx'> & { readonly clock: Pick<StepClock, 'now'> },
  handled: Handled,
): Promise<void> {
  const run = frame.handle ?? durableHandleOf(frame.invokeCtx);
  const overtaken = run === undefined ? undefined : suspensionBelow(run, handled.path);
  if (run === undefined || overtaken === undefined) return;
  if (frame.handle === undefined) throw overtaken;
  // Without `recorded` the next execution could not tell that the failure is handled, and would never end.
  if (run.recorded === undefined) return;
  await parkRun(run, { path: handled.at, resource: handled.resource }, { at: frame.clock.now() });
}

import { stepPath } from '../step-path.ts';
import { leaveWaits } from './abandoned-wait.ts';
import { readFailure, recordableFailure, rethrowPassing, thrownAgain, type Failure } from './failure.ts';
import { decide, decideTruth, type Frame } from './frame.ts';
import { isReplayEnd, replayOnly } from './replay-only.ts';
import type { Step } from './step.ts';

type Branch = 'catch' | 'finally';

/** Where a branch is recorded and its steps stand: attempt 0 without, later ones with their number. */
function branchPath(path: string, branch: Branch, attempt: number): string {
  return attempt === 0 ? stepPath(path, branch) : stepPath(path, branch, attempt);
}

function unreachable(): never {
  throw new TypeError('A recorded decision is never computed');
}

/** The failure that a branch was entered with, when it is on record. */
async function recordedAt(frame: Frame, at: string, step: string): Promise<Failure | undefined> {
  if (frame.handle?.recorded?.(at) !== true) return undefined;
  const record = readFailure(await frame.handle.decide(at, 'value', unreachable), step);
  return { thrown: thrownAgain(record), record };
}

/** Records the failure that a branch of the try step at `path` is entered with, and answers it as recorded. */
async function enter(frame: Frame, path: string, { at, failure }: { at: string; failure: Failure }): Promise<Failure> {
  const { record } = failure;
  const recorded = await decide(frame, at, 'value', () => record);
  await leaveWaits(frame, { path, at, resource: frame.resourceName });
  return { thrown: failure.thrown, record: readFailure(recorded, record.step) };
}

/** Replays a body for its results only. Answers whether everything in it is on record. */
async function replays(frame: Frame, step: Step, run: (frame: Frame) => Promise<void>): Promise<boolean> {
  if (frame.handle === undefined) return false;
  try {
    await run({ ...frame, handle: replayOnly(frame.handle), replayOnly: true });
    return true;
  } catch (error) {
    // A `throw` step fails while it is replayed, too; that failure is the recorded one.
    if (!isReplayEnd(error)) rethrowPassing(error, frame, step.name);
    return false;
  }
}

/** Runs a body, or replays it up to the failure it is known to end with. Answers how it failed, if it did. */
async function runTo(
  frame: Frame,
  step: Step,
  known: Failure | undefined,
  run: (frame: Frame) => Promise<void>,
): Promise<Failure | undefined> {
  if (known !== undefined) {
    await replays(frame, step, run);
    return known;
  }
  try {
    await run(frame);
    return undefined;
  } catch (error) {
    rethrowPassing(error, frame, step.name);
    return { thrown: error, record: recordableFailure(error, step.name) };
  }
}

/** The last earlier attempt in which this try step had failed. */
function lastFailedAttempt(path: string, frame: Frame): number | undefined {
  const { handle } = frame;
  if (handle?.recorded === undefined) return undefined;
  for (let attempt = frame.attempt - 1; attempt >= 0; attempt -= 1) {
    const failed =
      handle.recorded(branchPath(path, 'catch', attempt)) || handle.recorded(branchPath(path, 'finally', attempt));
    if (failed) return attempt;
  }
  return undefined;
}

function catchFrame(frame: Frame, error: unknown): Frame {
  return { ...frame, cel: { ...frame.cel, error } };
}

/** Whether `catch` had handled the failure of an earlier attempt: then that attempt's branch answers for this one. */
async function handledBefore(step: Step, path: string, frame: Frame, attempt: number): Promise<boolean> {
  const at = branchPath(path, 'catch', attempt);
  const failure = step.catch === undefined ? undefined : await recordedAt(frame, at, step.name);
  if (failure === undefined || frame.handle?.recorded?.(branchPath(path, 'finally', attempt)) === true) return false;
  const before = { ...frame.results };
  await replays(frame, step, (replayed) => replayed.runBody(step.try, `${path}/try`, replayed));
  const handled = await replays(catchFrame(frame, failure.record), step, (replayed) =>
    replayed.runBody(step.catch, at, replayed),
  );
  if (!handled) restore(frame.results, before);
  return handled;
}

function restore(results: Record<string, unknown>, before: Readonly<Record<string, unknown>>): void {
  for (const name of Object.keys(results)) if (!Object.hasOwn(before, name)) delete results[name];
  Object.assign(results, before);
}

/** Body and `catch` of one attempt. Answers the failure that is left over, if any. */
async function runGuarded(step: Step, path: string, frame: Frame): Promise<Failure | undefined> {
  const catchAt = branchPath(path, 'catch', frame.attempt);
  const pending = await recordedAt(frame, branchPath(path, 'finally', frame.attempt), step.name);
  const known = step.catch === undefined ? pending : await recordedAt(frame, catchAt, step.name);
  const failure = await runTo(frame, step, known, (body) => body.runBody(step.try, `${path}/try`, body));
  if (failure === undefined || step.catch === undefined) return failure;
  const entered = await enter(frame, path, { at: catchAt, failure });
  return runTo(catchFrame(frame, entered.record), step, pending, (body) => body.runBody(step.catch, catchAt, body));
}

/**
 * Durable: entering `catch`, or `finally` with a failure pending, is recorded with that failure; from then on the body
 * is replayed only.
 *
 * @see kernel-specs/steps.md ST-30 to ST-36
 */
export async function runTry(step: Step, path: string, frame: Frame): Promise<void> {
  if (step.when !== undefined && !(await decideTruth(frame, `${path}/when`, 'predicate', step.when))) return;
  const failedBefore = lastFailedAttempt(path, frame);
  const handled = failedBefore !== undefined && (await handledBefore(step, path, frame, failedBefore));
  const failure = handled ? undefined : await runGuarded(step, path, frame);
  if (step.finally !== undefined) await runFinally(step, path, { frame, failure, handled, failedBefore });
  if (failure !== undefined) throw failure.thrown;
}

async function runFinally(
  step: Step,
  path: string,
  state: { frame: Frame; failure: Failure | undefined; handled: boolean; failedBefore: number | undefined },
): Promise<void> {
  const { frame, failure, handled, failedBefore } = state;
  if (failure !== undefined) {
    const at = branchPath(path, 'finally', frame.attempt);
    const entered = await enter(frame, path, { at, failure });
    return frame.runBody(step.finally, at, catchFrame(frame, entered.record));
  }
  // After success its steps stand where the first attempt to succeed put them: a later attempt does not repeat them.
  const firstGood = failedBefore === undefined ? 0 : failedBefore + (handled ? 0 : 1);
  const caughtNow = frame.handle?.recorded?.(branchPath(path, 'catch', frame.attempt)) === true;
  const at = branchPath(path, 'finally', caughtNow ? frame.attempt : firstGood);
  return frame.runBody(step.finally, at, catchFrame(frame, null));
}

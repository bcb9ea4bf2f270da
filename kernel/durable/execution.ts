import {
  assertFaithful,
  assertNotSwallowed,
  deriveContext,
  isCancellationError,
  isRunLost,
  isSuspension,
  latchedSuspension,
  unjournalableAt,
} from '@telorun/sdk';
import type { CancellationSource, InvokeContext } from '@telorun/sdk';
import type { FencedJournal, RunError } from '@telorun/sdk/journal';
import type { KernelResourceContext } from '../kinds/kind.ts';
import { keepClaim } from './claim.ts';
import { toRunError } from './errors.ts';
import { CLAIM, IDLE_EXECUTIONS_MAX } from './limits.ts';
import { JournaledRunHandle } from './run-handle.ts';
import { isDue, settlementOf } from './settlement.ts';
import type { Settlement } from './settlement.ts';

type ExecutionContext = Pick<KernelResourceContext, 'rootContext' | 'withZone' | 'kernel'>;

export interface Execution {
  readonly run: string;
  /** Name of the workflow resource. */
  readonly workflow: string;
  readonly journal: FencedJournal;
  /** Who claims the run again when it is due at once. */
  readonly holder: string;
  readonly context: ExecutionContext;
  /** Cancels the body; linked to the kernel. */
  readonly source: CancellationSource;
  /** What the body sees as `inputs`; synchronous, called once in the life of the run. */
  readonly inputs: () => unknown;
  /** Executes the steps under the run's zone and answers the run's result. */
  readonly body: (inputs: unknown, context: InvokeContext) => Promise<unknown>;
}

type Ending =
  { readonly kind: 'returned'; readonly result: unknown } | { readonly kind: 'threw'; readonly error: unknown };

/** What one pass over the body came to; `again` when the run is due at once. */
interface Pass {
  readonly settlement: Settlement;
  readonly again: boolean;
  readonly advanced: boolean;
  readonly entries: number;
}

/**
 * Executes a claimed run until it settles, waits, or cannot go on. Durable: everything the body does, and how it ends.
 * What a body throws never rejects this; a journal that fails ends it with a `problem`.
 *
 * @see docs/adr/0012-when-a-run-is-not-settled.md
 */
export async function executeRun(execution: Execution): Promise<Settlement> {
  let idle = 0;
  let entries = -1;
  for (;;) {
    const pass = await executeOnce(execution, entries);
    if (!pass.again) return stopped(execution, pass.settlement);
    idle = pass.advanced ? 0 : idle + 1;
    entries = pass.entries;
    const refused = await claimAgain(execution, idle);
    if (refused !== undefined) return stopped(execution, { ...pass.settlement, ...refused });
  }
}

/** Claims a run that is due at once; answers why there is no further pass: somebody else has it, or none would help. */
async function claimAgain(execution: Execution, idle: number): Promise<Partial<Settlement> | undefined> {
  const { run, journal, holder } = execution;
  try {
    if (!(await journal.claimRun(run, holder, CLAIM.ttlMs))) return {};
    return idle < IDLE_EXECUTIONS_MAX ? undefined : await release(execution, answerUnread(run));
  } catch (error) {
    return { problem: toRunError(error) };
  }
}

async function executeOnce(execution: Execution, entriesBefore: number): Promise<Pass> {
  const { run, journal, source, context } = execution;
  let loaded = 0;
  let handle: JournaledRunHandle | undefined;
  let stopRenewing: (() => void) | undefined;
  try {
    handle = await JournaledRunHandle.open({
      run,
      journal,
      cancellation: source.token,
      emit: context.kernel.emit,
      ...(context.kernel.redaction === undefined ? {} : { redaction: context.kernel.redaction }),
      onDead: () => source.cancel('run-given-up'),
    });
    loaded = handle.size;
    const live = handle;
    stopRenewing = keepClaim(journal, run, (error) => live.end(error));
    context.kernel.emit({ type: 'run.started', run, workflow: execution.workflow, resumed: loaded > 0 });
    const settlement = await settle(execution, handle, await unwind(execution, handle));
    const again = settlement.due && !source.token.isCancelled;
    const advanced = handle.size > loaded || loaded > entriesBefore;
    return { settlement: settlement.settlement, again, advanced, entries: handle.size };
  } catch (error) {
    const settlement = await abandon(execution, handle?.fatal ?? error);
    return { settlement, again: false, advanced: false, entries: loaded };
  } finally {
    stopRenewing?.();
  }
}

async function unwind(execution: Execution, handle: JournaledRunHandle): Promise<Ending> {
  const { context, source } = execution;
  try {
    const inputs = await handle.decide('inputs', 'inputs', execution.inputs);
    const base = deriveContext(context.rootContext({ cancellation: source.token }), { durable: handle });
    const result = await context.withZone('steps', (zoned) => execution.body(inputs, zoned), base);
    return { kind: 'returned', result };
  } catch (error) {
    // Every signal ends the body here; `settle` tells them apart.
    return { kind: 'threw', error };
  }
}

interface Settled {
  readonly settlement: Settlement;
  readonly due: boolean;
}

async function settle(execution: Execution, handle: JournaledRunHandle, ending: Ending): Promise<Settled> {
  if (handle.dead) return final(await abandon(execution, handle.fatal));
  if (ending.kind === 'threw') return settleThrown(execution, handle, ending.error);
  const swallowed = swallowedSuspension(handle);
  if (swallowed !== undefined) return final(await release(execution, swallowed));
  return final(await complete(execution, handle, ending.result));
}

async function settleThrown(execution: Execution, handle: JournaledRunHandle, error: unknown): Promise<Settled> {
  const { source } = execution;
  if (isRunLost(error)) return final(await abandon(execution, error));
  // An interrupted effect may answer with an error of its own: that is no failure of the run.
  if (source.token.isCancelled) return final(await release(execution));
  if (isCancellationError(error)) return final(await release(execution, told(execution, error)));
  if (isSuspension(error)) {
    return latchedSuspension(handle) === undefined
      ? final(await release(execution, suspensionUnrecorded(execution.run)))
      : suspend(execution);
  }
  const swallowed = hasSuspensionAsCause(error) ? swallowedSuspension(handle) : undefined;
  if (swallowed !== undefined) return final(await release(execution, swallowed));
  if (isResumable(error)) return final(await release(execution, told(execution, error)));
  return final(await fail(execution, error));
}

function final(settlement: Settlement): Settled {
  return { settlement, due: false };
}

async function suspend(execution: Execution): Promise<Settled> {
  const { run, journal, context } = execution;
  const record = await journal.suspendRun(run);
  return { settlement: await settlementOf(record, journal), due: isDue(record, context.kernel.now()) };
}

async function complete(execution: Execution, handle: JournaledRunHandle, result: unknown): Promise<Settlement> {
  const { run, journal } = execution;
  try {
    assertFaithful(result, { run, path: 'result' });
  } catch (error) {
    return fail(execution, error);
  }
  const collapseReasons = handle.collapseReasons;
  await journal.completeRun(run, {
    status: 'completed',
    result,
    collapsedRegions: collapseReasons.length,
    collapseReasons,
  });
  const record = await journal.readRun(run);
  return record === undefined ? { run, status: 'completed', result } : settlementOf(record, journal);
}

async function fail(execution: Execution, thrown: unknown): Promise<Settlement> {
  const error = told(execution, thrown);
  await execution.journal.completeRun(execution.run, { status: 'failed', error });
  return { run: execution.run, status: 'failed', error };
}

/** Settles nothing: the claim goes back, the status stays. */
async function release(execution: Execution, problem?: RunError): Promise<Settlement> {
  await execution.journal.releaseRun(execution.run, problem);
  return standing(execution, problem);
}

/**
 * Settles nothing after a lost claim or a journal error. The claim is given back where it is still ours, so that
 * another process need not wait for it; a journal that cannot even do that keeps it until it lapses.
 */
async function abandon(execution: Execution, error: unknown): Promise<Settlement> {
  const problem = told(execution, error);
  try {
    if (problem.code !== 'ERR_DURABLE_CLAIM_LOST') await execution.journal.releaseRun(execution.run, problem);
    return await standing(execution, problem);
  } catch (failure) {
    const cause = toRunError(failure);
    return { run: execution.run, status: 'running', problem: { ...problem, data: { afterwards: cause.code } } };
  }
}

async function standing(execution: Execution, problem: RunError | undefined): Promise<Settlement> {
  const record = await execution.journal.readRun(execution.run);
  const base: Settlement =
    record === undefined ? { run: execution.run, status: 'running' } : await settlementOf(record, execution.journal);
  return problem === undefined ? base : { ...base, problem };
}

function stopped(execution: Execution, settlement: Settlement): Settlement {
  execution.context.kernel.emit({ type: 'run.stopped', ...settlement });
  return settlement;
}

function swallowedSuspension(handle: JournaledRunHandle): RunError | undefined {
  try {
    assertNotSwallowed(handle);
    return undefined;
  } catch (error) {
    // Nothing but the refusal itself comes from the check.
    return toRunError(error);
  }
}

/** A controller may have wrapped the signal in an error of its own. */
function hasSuspensionAsCause(error: unknown): boolean {
  const seen = new Set<unknown>();
  for (let cause = error; cause instanceof Error && !seen.has(cause); cause = cause.cause) {
    if (isSuspension(cause)) return true;
    seen.add(cause);
  }
  return false;
}

/** A refusal that may pass once the world is as it was: `data.resumable` says so. */
function isResumable(error: unknown): boolean {
  if (typeof error !== 'object' || error === null || !('data' in error)) return false;
  const { data } = error;
  return typeof data === 'object' && data !== null && 'resumable' in data && data.resumable === true;
}

/** What is recorded and told of an error: nothing that no journal keeps, and no secret. */
function told({ context }: Execution, error: unknown): RunError {
  const kept = keepable(toRunError(error));
  return context.kernel.redaction?.error(kept) ?? kept;
}

function keepable(error: RunError): RunError {
  const { data, ...rest } = error;
  return data === undefined || unjournalableAt(data) !== undefined ? rest : { ...rest, data };
}

function suspensionUnrecorded(run: string): RunError {
  return {
    code: 'ERR_DURABLE_SUSPENSION_UNRECORDED',
    message: `Cannot suspend run "${run}": the body ended in a suspension that no park of this execution recorded`,
    data: { run, hint: 'Park through parkRun with the handle of the run.' },
  };
}

function answerUnread(run: string): RunError {
  return {
    code: 'ERR_DURABLE_ANSWER_UNREAD',
    message: `Cannot continue run "${run}": it waits for what is answered or over already, and reads neither`,
    data: { run, hint: 'Park inside a step at the same path, so that the answer is the value of that step.' },
  };
}

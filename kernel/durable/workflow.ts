import { randomUUID } from 'node:crypto';
import { dirname, isAbsolute, relative } from 'node:path';
import { assertFaithful, codeOf, InvokeError, StepEngine } from '@telorun/sdk';
import type { InvokeContext, ResourceContext, ResourceManifest } from '@telorun/sdk';
import type { FencedJournal, RunProgram, RunRecord, RunStart } from '@telorun/sdk/journal';
import type { KernelResourceContext } from '../kinds/kind.ts';
import { activeRun, enterRun } from './active-runs.ts';
import { runBusy, runIdInvalid, runNotFound } from './errors.ts';
import { executeRun } from './execution.ts';
import { assertContinuable } from './foreign.ts';
import { kernelContext } from '../kinds/kernel-context.ts';
import { CLAIM } from './limits.ts';
import { admitsProgram, programChanged, recordForce } from './program.ts';
import { journalOf } from './references.ts';
import { isDue, isTerminal, settlementOf } from './settlement.ts';
import type { Settlement } from './settlement.ts';
import type {
  ExecuteOptions,
  ScheduledRun,
  ScheduleRequest,
  StartedRun,
  StartRequest,
  WorkflowInstance,
} from './workflow-instance.ts';

/** What joining or starting a run came to. */
type Begun =
  | { readonly kind: 'executing'; readonly admitted: boolean; readonly done: Promise<Settlement> }
  | { readonly kind: 'standing'; readonly record: RunRecord }
  | { readonly kind: 'elsewhere'; readonly record: RunRecord };

/** `DurableLocal.Workflow`. @see kernel-specs/durable-kinds.md DK-10 to DK-17 */
class Workflow implements WorkflowInstance {
  readonly workflow: string;
  readonly #resource: ResourceManifest;
  #ctx: KernelResourceContext;
  #engine: StepEngine | undefined;
  #journal: FencedJournal | undefined;

  constructor(resource: ResourceManifest, ctx: KernelResourceContext) {
    this.workflow = resource.metadata.name;
    this.#resource = resource;
    this.#ctx = ctx;
  }

  init(ctx: ResourceContext): void {
    this.#ctx = kernelContext(ctx);
    this.#engine = new StepEngine(ctx, { kind: 'DurableLocal.Workflow', resourceName: this.workflow });
    this.#engine.resolveInvokes(this.#resource['steps']);
  }

  get journal(): FencedJournal {
    this.#journal ??= journalOf(this.#resource['journal'], this.#ctx, this.workflow);
    return this.#journal;
  }

  get program(): RunProgram {
    return this.#ctx.kernel.program(this.workflow);
  }

  /** Starts or joins a run and never waits for its body. */
  async invoke(inputs: unknown): Promise<unknown> {
    const runId = this.#runId(inputs);
    const begun = await this.#begin(runId, inputs);
    if (begun.kind === 'executing') {
      void begun.done.then((settlement) => this.#report(settlement));
      return { runId, started: true, status: 'running' };
    }
    const { status, result, error } = begun.record;
    if (status === 'failed') {
      throw new InvokeError(error?.code ?? 'ERR_DURABLE_RUN_FAILED', error?.message ?? `Run "${runId}" failed`, {
        run: runId,
      });
    }
    return { runId, attached: true, status, ...(status === 'completed' ? { result } : {}) };
  }

  async start({ runId: stated, inputs = {} }: StartRequest): Promise<StartedRun> {
    const runId = stated ?? this.#runId(inputs);
    if (runId === '') throw runIdInvalid(this.workflow);
    const begun = await this.#begin(runId, inputs);
    switch (begun.kind) {
      case 'executing':
        return { runId, admitted: begun.admitted, done: begun.done };
      case 'standing':
        return { runId, admitted: false, done: settlementOf(begun.record, this.journal) };
      case 'elsewhere':
        return { runId, admitted: false, done: this.#join(begun.record) };
      default:
        return neither(begun);
    }
  }

  async execute(run: string, options: ExecuteOptions = {}): Promise<Settlement> {
    const record = await this.journal.readRun(run);
    if (record === undefined) throw runNotFound(run);
    const begun = await this.#resume(record, options);
    switch (begun.kind) {
      case 'executing':
        return begun.done;
      case 'standing':
        return settlementOf(begun.record, this.journal);
      case 'elsewhere':
        throw runBusy(run, begun.record.status);
      default:
        return neither(begun);
    }
  }

  /** An execution of this process is joined; one of another process refuses. */
  #join(record: RunRecord): Promise<Settlement> {
    const here = activeRun(this.journal, record.run);
    if (here !== undefined) return here.done;
    throw runBusy(record.run, record.status);
  }

  async schedule({ runId: stated, inputs = {}, dueAt }: ScheduleRequest): Promise<ScheduledRun> {
    const runId = stated ?? this.#runId(inputs);
    if (runId === '') throw runIdInvalid(this.workflow);
    const { admitted, record } = await this.#admit(runId, { status: 'scheduled', dueAt, inputs });
    if (record.program !== undefined && record.program.workflow !== this.program.workflow) throw this.#exists(record);
    return { runId, admitted, status: record.status };
  }

  async #admit(run: string, start: RunStart): Promise<{ admitted: boolean; record: RunRecord }> {
    assertFaithful(start.inputs, { run, path: 'inputs' });
    const { program } = this;
    const recorded = { ...program, manifest: fromJournal(program.manifest, this.journal) };
    const { admitted, existing } = await this.journal.admitRun(run, { ...start, program: recorded });
    const record = existing ?? (await this.journal.readRun(run));
    if (record !== undefined) return { admitted, record };
    if (!admitted) throw runNotFound(run);
    return { admitted, record: { run, status: 'running', inputs: start.inputs, program: recorded } };
  }

  async #begin(run: string, inputs: unknown): Promise<Begun> {
    const { program } = this;
    const { admitted, record } = await this.#admit(run, { status: 'running', inputs });
    if (admitted) return this.#claim(record, { admitted });
    if (this.#resource['onConflict'] === 'reject') throw this.#exists(record);
    if (record.program !== undefined && record.program.workflow !== program.workflow) throw this.#exists(record);
    return this.#resume(record, {});
  }

  async #resume(record: RunRecord, options: ExecuteOptions): Promise<Begun> {
    if (isTerminal(record.status) || !isDue(record, this.#ctx.kernel.now())) return { kind: 'standing', record };
    if (activeRun(this.journal, record.run) !== undefined) return { kind: 'elsewhere', record };
    assertContinuable(record, this.workflow, this.#ctx.kernel);
    const { program } = this;
    const same = await admitsProgram(record, program, this.journal);
    if (!same && options.force !== true) throw programChanged(record, program);
    return this.#claim(record, { admitted: false, ...(same ? {} : { force: options }) });
  }

  async #claim(record: RunRecord, { admitted, force }: { admitted: boolean; force?: ExecuteOptions }): Promise<Begun> {
    const { run } = record;
    const holder = randomUUID();
    const claimed = await this.journal.claimRun(run, holder, CLAIM.ttlMs);
    // Between the look and the claim another process may have finished the run, or come to its next wait.
    const current = (await this.journal.readRun(run)) ?? record;
    if (isTerminal(current.status) || !isDue(current, this.#ctx.kernel.now())) {
      if (claimed) await this.journal.releaseRun(run);
      return { kind: 'standing', record: current };
    }
    if (!claimed) return { kind: 'elsewhere', record: current };
    if (force !== undefined) await this.#recordForce(run, force);
    return { kind: 'executing', admitted, done: this.#launch(current, holder) };
  }

  async #recordForce(run: string, { reason }: ExecuteOptions): Promise<void> {
    const { digest } = this.program;
    await recordForce(this.journal, run, {
      digest,
      at: this.#ctx.kernel.now(),
      ...(reason === undefined ? {} : { reason }),
    });
  }

  /** Effect: executes in the background, under a hold, outside the caller's context. */
  #launch(record: RunRecord, holder: string): Promise<Settlement> {
    const { run } = record;
    const source = this.#ctx.createCancellationSource();
    const release = this.#ctx.acquireHold(`run ${run}`);
    const done = new Promise<Settlement>((resolve, reject) => {
      this.#ctx.runDetached(() =>
        executeRun({
          run,
          workflow: this.workflow,
          journal: this.journal,
          holder,
          context: this.#ctx,
          source,
          inputs: () => this.#ctx.expandValue(this.#resource['inputs'] ?? {}, { inputs: record.inputs ?? {} }),
          body: (inputs, context) => this.#body(inputs, context),
        }).then(resolve, reject),
      );
    });
    const leave = enterRun(this.journal, run, { done, stop: (reason) => source.cancel(reason) });
    return done.finally(() => {
      leave();
      source.dispose();
      release();
    });
  }

  async #body(inputs: unknown, context: InvokeContext): Promise<unknown> {
    const steps: Record<string, unknown> = {};
    if (this.#engine === undefined) throw new TypeError('A workflow is executed after its init');
    await this.#engine.executeSteps(this.#resource['steps'], steps, undefined, { inputs }, context, 'steps');
    return { steps };
  }

  #runId(inputs: unknown): string {
    const stated = this.#resource['runId'];
    if (stated === undefined) return `${this.workflow}:${randomUUID()}`;
    const runId = this.#expandedRunId(stated, inputs);
    if (typeof runId !== 'string' || runId === '') throw runIdInvalid(this.workflow);
    return runId;
  }

  /** What the inputs of a call lack is told as what it prevents, a run id. */
  #expandedRunId(stated: unknown, inputs: unknown): unknown {
    try {
      return this.#ctx.expandValue(stated, { inputs: inputs ?? {} });
    } catch (error) {
      if (codeOf(error) !== undefined) throw error;
      throw runIdInvalid(this.workflow, error);
    }
  }

  #exists({ run, status, program }: RunRecord): InvokeError {
    return new InvokeError(
      'ERR_DURABLE_RUN_EXISTS',
      `Cannot start run "${run}" of "${this.workflow}": a run of that id exists`,
      {
        run,
        status,
        ...(program === undefined ? {} : { workflow: program.workflow }),
        hint: 'Choose another run id, or resume the run that exists.',
      },
    );
  }

  #report({ run, error, problem }: Settlement): void {
    if (error !== undefined)
      this.#ctx.log.error('durable.run.failed', { run, code: error.code, reason: error.message });
    if (problem !== undefined)
      this.#ctx.log.warn('durable.run.stopped', { run, code: problem.code, reason: problem.message });
  }
}

function neither(begun: never): never {
  throw new TypeError(`unknown beginning ${String(begun)}`);
}

/** A manifest as a run records it: relative to the journal, so that both can move together. Pure. */
function fromJournal(manifest: string, { files }: FencedJournal): string {
  const [file] = files;
  return file === undefined || !isAbsolute(file) || !isAbsolute(manifest)
    ? manifest
    : relative(dirname(file), manifest);
}

export type { WorkflowInstance } from './workflow-instance.ts';

export function create(resource: ResourceManifest, ctx: ResourceContext): WorkflowInstance {
  return new Workflow(resource, kernelContext(ctx));
}

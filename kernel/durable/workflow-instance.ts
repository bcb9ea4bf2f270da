import type { ResourceInstance } from '@telorun/sdk';
import type { FencedJournal, RunProgram, RunStatus } from '@telorun/sdk/journal';
import type { Settlement } from './settlement.ts';

export interface StartRequest {
  /** Stated by the caller; otherwise the resource's expression, or a fresh one. */
  readonly runId?: string;
  readonly inputs?: unknown;
}

export interface ScheduleRequest extends StartRequest {
  /** Epoch milliseconds. */
  readonly dueAt: number;
}

export interface ScheduledRun {
  readonly runId: string;
  /** False when a run of that id existed: it is left as it is. */
  readonly admitted: boolean;
  readonly status: RunStatus;
}

export interface StartedRun {
  readonly runId: string;
  /** False when the run existed and this call joined it. */
  readonly admitted: boolean;
  /** How the run stands when its execution in this process ends. Rejects for a defect of the kernel alone. */
  readonly done: Promise<Settlement>;
}

export interface ExecuteOptions {
  /** Execute although the workflow resource has changed since the run began. Recorded; waives nothing else. */
  readonly force?: boolean;
  readonly reason?: string;
}

/** A live `DurableLocal.Workflow`, as the command line and the kinds around it use it. */
export interface WorkflowInstance extends ResourceInstance {
  /** Name of the resource. */
  readonly workflow: string;
  readonly journal: FencedJournal;
  /** How a run of it names its program, and the digest of the resource as it is now. */
  readonly program: RunProgram;
  /**
   * Admits a run and executes it, or joins the run of that id as `onConflict` says.
   *
   * @throws InvokeError ERR_DURABLE_RUN_ID_INVALID, ERR_DURABLE_RUN_EXISTS, ERR_DURABLE_RUN_BUSY, ERR_DURABLE_MANIFEST_CHANGED
   */
  start(request: StartRequest): Promise<StartedRun>;
  /**
   * Admits a run that is executed once it is due, by whoever sweeps. Durable: on record when it answers.
   *
   * @throws InvokeError ERR_DURABLE_RUN_ID_INVALID, ERR_DURABLE_RUN_EXISTS for the run of another workflow
   */
  schedule(request: ScheduleRequest): Promise<ScheduledRun>;
  /**
   * Executes a run that is due, until it settles or waits. A run that is over, or waits for what has not come, is
   * answered as it stands.
   *
   * @throws InvokeError ERR_DURABLE_RUN_NOT_FOUND, ERR_DURABLE_RUN_BUSY, ERR_DURABLE_MANIFEST_CHANGED
   */
  execute(run: string, options?: ExecuteOptions): Promise<Settlement>;
}

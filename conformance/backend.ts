import type { InvokeContext, OpenZone, parkRun } from '@telorun/sdk';
import type { FencedJournal, JournalEntry, RunError, RunStatus } from '@telorun/sdk/journal';
import type { Capability } from './capabilities.ts';

/** How one execution of a run ended; `problem` says why nothing was settled, where something went wrong. */
export interface Ended {
  readonly status: RunStatus;
  readonly result?: unknown;
  readonly error?: RunError;
  readonly problem?: RunError;
}

/** What a backend gives to the body of a run: a context that carries the handle of this execution. */
export interface Execution {
  readonly context: InvokeContext;
  /** The open zones of a context, innermost first, with their attributes. Absent: capability `zones`. */
  openZones?(context: InvokeContext): readonly OpenZone[];
}

/** Runs of one test case, on whatever keeps them. Each method that may be absent belongs to a capability. */
export interface Place {
  /**
   * Executes a run once, as a workflow of this backend: admits it where it is new, gives the body a handle of its own,
   * and settles, suspends or leaves the run as the body ends. A settled run is answered without a body.
   *
   * Any earlier execution of the run counts as dead: its process has been killed, and this one takes its run over.
   * What a body throws is told in the answer; nothing of it rejects this.
   *
   * @param caller The context of the call that starts the run, where one does.
   */
  execute(run: string, body: (execution: Execution) => Promise<unknown>, caller?: InvokeContext): Promise<Ended>;
  /** `entries`: the records of a run in the order of writing. */
  entries?(run: string): Promise<readonly JournalEntry[]>;
  /** `status`: undefined for a run that is not known. */
  status?(run: string): Promise<RunStatus | undefined>;
  /** `delivery`: gives an answer to the open wait at a path; false when there is none. Executes nothing. */
  deliver?(run: string, path: string, value: unknown): Promise<boolean>;
  /** `reopen`: the same runs, opened as another process would. Closed with this place. */
  reopen?(): Promise<Place>;
  /** `store`: a journal over the same runs, as another process would open it. Closed with this place. */
  journal?(): Promise<FencedJournal>;
  /** `tearing`: damages what is stored of a run, as a power cut inside its last write could. */
  tear?(run: string): Promise<void>;
  close(): Promise<void>;
}

/** A durable backend as the suite sees it. */
export interface Backend {
  readonly name: string;
  readonly cannot: readonly Capability[];
  /** A place without runs, for one case. */
  open(): Promise<Place>;
  /** `parkRun` of the copy of @telorun/sdk whose latch this backend reads; the suite's own when not stated. */
  readonly parkRun?: typeof parkRun;
}

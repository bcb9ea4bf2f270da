import type { DecisionKind } from './durable-run.ts';
import type { ZoneEntry } from './zone.ts';

/** The contract between a durable backend and what remembers its runs. Types only. */

export type RunStatus = 'scheduled' | 'running' | 'parked' | 'completed' | 'failed' | 'cancelled';

/** One fact about a run, at one step path. `value` is live data; the journal owns how it is written down. */
export interface JournalEntry {
  readonly path: string;
  readonly kind: 'step' | 'decision';
  readonly decision?: DecisionKind;
  readonly target?: { readonly kind: string; readonly name: string; readonly module?: string };
  readonly value?: unknown;
}

export interface RunError {
  readonly code: string;
  readonly message: string;
  readonly data?: unknown;
}

/** What a run waits for, as recorded when it parked there. */
export interface Wait {
  readonly path: string;
  readonly resource: string;
  /** Epoch milliseconds. */
  readonly at?: number;
  readonly token?: string;
  /** JSON Schema (draft-07) that an answer must satisfy. */
  readonly schema?: unknown;
  /** What the person who answers is asked; data of the author's. */
  readonly request?: unknown;
}

export interface WaitRecord extends Wait {
  readonly run: string;
  readonly state: 'open' | 'answered' | 'closed';
  /** Epoch milliseconds. */
  readonly since: number;
}

/** Where the program of a run is found again. `manifest` is relative to the folder of the journal where it can be. */
export interface RunProgram {
  readonly manifest: string;
  readonly workflow: string;
  /** `sha256:` of the workflow resource's canonical document. */
  readonly digest: string;
}

export interface RunStart {
  readonly status?: 'running' | 'scheduled';
  readonly dueAt?: number;
  readonly inputs?: unknown;
  readonly program?: RunProgram;
}

export interface RunOutcome {
  readonly status: 'completed' | 'failed' | 'cancelled';
  readonly result?: unknown;
  readonly error?: RunError;
  readonly collapsedRegions?: number;
  readonly collapseReasons?: readonly string[];
}

export interface RunRecord {
  readonly run: string;
  readonly status: RunStatus;
  readonly dueAt?: number;
  /** The wait that a reader of Telo's contract sees: the first open one. */
  readonly parked?: { readonly path: string; readonly resource: string; readonly token?: string; readonly at?: number };
  readonly inputs?: unknown;
  readonly result?: unknown;
  readonly error?: RunError;
  readonly collapsedRegions?: number;
  readonly collapseReasons?: readonly string[];
  readonly program?: RunProgram;
  /** Why the last execution stopped without settling the run, when it did. */
  readonly problem?: RunError;
  /** Epoch milliseconds. */
  readonly createdAt?: number;
  readonly updatedAt?: number;
  /** Whether a live claim is held by some process. */
  readonly claimed?: boolean;
}

/** A run with all that is on record of it, as one journal hands it to another. */
export interface WholeRun {
  readonly record: RunRecord;
  /** In the order of writing, each path once. */
  readonly entries: readonly JournalEntry[];
  /** In the order of recording. */
  readonly waits: readonly WaitRecord[];
}

/** Telo's journal contract. First writer of a path wins, and the caller uses what comes back. */
export interface DurableJournal {
  admitRun(run: string, start?: RunStart): Promise<{ admitted: boolean; existing?: RunRecord }>;
  readRun(run: string): Promise<RunRecord | undefined>;
  readEntries(run: string): Promise<readonly JournalEntry[]>;
  append(run: string, entry: JournalEntry): Promise<JournalEntry>;
  completeRun(run: string, outcome: RunOutcome): Promise<void>;
  parkRun(run: string, wait: Wait): Promise<void>;
  unparkRun(run: string): Promise<void>;
  runParkedOn(token: string): Promise<string | undefined>;
  dueRuns(now: number, limit: number): Promise<readonly string[]>;
  claimRun(run: string, holder: string, ttlMs: number): Promise<boolean>;
  writesInside?(zone: ZoneEntry): boolean;
  onWake?(handler: () => void): () => void;
}

export type AnswerRefusal =
  | 'unknown-run'
  | 'unknown-token'
  | 'no-open-wait'
  | 'already-answered'
  | 'closed'
  | 'terminal'
  | 'several-open-waits'
  | 'schema';

export type AnswerReceipt =
  | { readonly delivered: true; readonly run: string; readonly path: string }
  | {
      readonly delivered: false;
      readonly reason: AnswerRefusal;
      readonly run?: string;
      readonly status?: RunStatus;
      /** Open waits to choose from, for `several-open-waits`. */
      readonly waits?: readonly WaitRecord[];
      /** What the schema says against the payload, for `schema`. */
      readonly problems?: readonly string[];
    };

/** What the embedded kernel asks of a journal beyond Telo's contract: claims with a fence, many waits a run. */
export interface FencedJournal extends DurableJournal {
  /** Absolute paths that hold the journal; nothing else may write there. */
  readonly files: readonly string[];
  /**
   * Checks the claim that this instance holds on `run`, synchronously: locally right after a write, else in the store,
   * where a cancellation may have taken the run. Renews a lease that has run out. @throws InvokeError ERR_DURABLE_CLAIM_LOST
   */
  checkClaim(run: string): void;
  /** Extends the claim. Answers false when it is lost. */
  renewClaim(run: string): Promise<boolean>;
  /** Drops the claim; the status stays; `problem` says why nothing was settled. */
  releaseRun(run: string, problem?: RunError): Promise<void>;
  /** Records a wait; claim and status stay. A second call for the same path changes nothing but a closed state. */
  recordWait(run: string, wait: Wait): Promise<WaitRecord>;
  /** Ends a wait that timed out, unless it is answered already; `answered` means its entry is on record now. */
  closeWait(run: string, path: string): Promise<'closed' | 'answered'>;
  /** The body has unwound on a suspension: status and claim change in one transaction; due at once when answered or due. */
  suspendRun(run: string): Promise<RunRecord>;
  /** Gives an answer to one open wait: entry, wait and status in one transaction. Never executes anything. */
  answer(
    selector: { readonly run: string; readonly path?: string } | { readonly token: string },
    payload: unknown,
    validate?: (schema: unknown, payload: unknown) => readonly string[],
  ): Promise<AnswerReceipt>;
  readWaits(run: string): Promise<readonly WaitRecord[]>;
  listRuns(filter?: { readonly status?: RunStatus; readonly limit?: number }): Promise<readonly RunRecord[]>;
  /** Settles a run as cancelled and takes its claim away. Answers false for an unknown or settled run. */
  cancelRun(run: string, reason?: string): Promise<boolean>;
  /**
   * Writes a whole run that another journal has kept: all of it or nothing, claimed by nobody. Answers false, and writes
   * nothing, where there is a run of its id.
   */
  adoptRun?(whole: WholeRun): Promise<boolean>;
  close(): void;
}

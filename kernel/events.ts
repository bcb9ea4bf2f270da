import type { JournalEntry, RunError, RunStatus, WaitRecord } from '@telorun/sdk/journal';

/** What the embedded kernel tells a listener, in the order it happens. Listeners must not throw and cannot change anything. */
export type KernelEvent =
  | { readonly type: 'run.started'; readonly run: string; readonly workflow: string; readonly resumed: boolean }
  /** An effect is about to be performed: its `execute` is called next. */
  | {
      readonly type: 'effect.begun';
      readonly run: string;
      readonly path: string;
      readonly target?: string;
      readonly inputs?: unknown;
    }
  | { readonly type: 'effect.failed'; readonly run: string; readonly path: string; readonly error: RunError }
  /** An entry reached the journal in this process. */
  | { readonly type: 'entry.recorded'; readonly run: string; readonly entry: JournalEntry }
  /** An entry of a former execution answered instead of work. */
  | { readonly type: 'entry.replayed'; readonly run: string; readonly entry: JournalEntry; readonly inputs?: unknown }
  | { readonly type: 'wait.recorded'; readonly run: string; readonly wait: WaitRecord }
  | {
      readonly type: 'zone.mode';
      readonly run: string;
      readonly zone: string;
      readonly mode: 'collapsed' | 'perStep';
      readonly reason: string;
    }
  /** The body has unwound. `status` is what the journal holds now; `problem` says why nothing was settled. */
  | {
      readonly type: 'run.stopped';
      readonly run: string;
      readonly status: RunStatus;
      readonly result?: unknown;
      readonly error?: RunError;
      readonly waits?: readonly WaitRecord[];
      readonly problem?: RunError;
    }
  /** How far a resource says that its work has come. No fact about a run, and nothing of it is recorded. */
  | { readonly type: 'resource.progress'; readonly resource: string; readonly payload: unknown }
  | {
      readonly type: 'dispatch';
      readonly outcome: 'Invoked' | 'InvokeRejected' | 'InvokeFailed' | 'InvokeCancelled' | 'InvokeParked';
      readonly kind: string;
      readonly name: string;
      readonly payload?: unknown;
    };

export type KernelListener = (event: KernelEvent) => void;

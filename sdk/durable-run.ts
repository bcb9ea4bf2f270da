import type { RunHandleAdditions } from './run-handle-additions.ts';
import type { ZoneEntry } from './zone.ts';

/** What a decision is about. `value` covers everything that has no word of its own. */
export type DecisionKind = 'inputs' | 'predicate' | 'condition' | 'collection' | 'switch' | 'value';

/** Where the target of an effect is declared; never which live object it is. */
export interface DurableTarget {
  readonly kind: string;
  readonly name: string;
  readonly module?: string;
  readonly pointer?: string;
  readonly scoped?: true;
  readonly scope?: { readonly owner: string; readonly site: string; readonly stepPath: string };
}

export interface ParkPlace {
  readonly path: string;
  readonly resource: string;
}

/** What ends a wait: an instant (epoch milliseconds), an answer under a token, or whichever comes first. */
export interface ParkUntil {
  readonly at?: number;
  readonly token?: string;
}

/** How a region inside a zone was journaled, reported once for each zone walked. */
export interface ZoneModeInfo {
  readonly zone: string;
  readonly attribute: 'atomic' | 'idempotent';
  readonly mode: 'collapsed' | 'perStep';
  readonly reason: string;
  readonly attestation?: 'writesInside';
}

/**
 * One execution of one durable run, as every effect inside it sees it.
 *
 * A backend makes one handle for each execution of a body and never shares it between executions.
 */
export interface DurableRunHandle extends RunHandleAdditions {
  readonly runId: string;
  /**
   * Hands over an effect. Durable: recorded at `path` on completion; a recorded one is answered from the record.
   *
   * @throws InvokeError ERR_JOURNAL_ENTRY_MISMATCH when the record at `path` names another target.
   */
  step(
    path: string,
    target: DurableTarget | undefined,
    inputs: unknown,
    execute: () => Promise<unknown>,
  ): Promise<unknown>;
  /** Computes a value once for the run. Durable: the recorded value is answered verbatim from then on. */
  decide<T>(path: string, kind: DecisionKind, compute: () => T): Promise<T>;
  /** Records a wait. Called through `parkRun` only, which also latches and throws the signal. */
  park(where: ParkPlace, until: ParkUntil): Promise<never>;
  /** Whether this handle's own records commit inside the atomicity of `zone`. */
  writesInside(zone: ZoneEntry): boolean;
  noteZoneMode?(info: ZoneModeInfo): void;
}

import type { JsonValue } from '../values/json.ts';

/** A piece of output: characters as written, or the number of the effect whose value is the text. */
export type OutputPart = string | number;

/** One completed read-class effect: its element, and the number of the effect that holds the value. */
export interface ObservationRef {
  readonly name: string;
  readonly effect: number;
}

/**
 * The closing record of an attempt that performed everything. Values stay in the entries of their effects, which
 * `effects` lists in the order performed as [path, digest of the value]; the other members count into that list.
 */
export interface CompletedOutcome {
  readonly outcome: 'completed';
  readonly observations: readonly ObservationRef[];
  readonly output: readonly OutputPart[];
  readonly effects: readonly (readonly [path: string, sha256: string])[];
}

/** The closing record of an attempt that an operation failed. */
export interface FailedOutcome {
  readonly outcome: 'failed';
  /** Full step path of the effect. */
  readonly effect: string;
  readonly code: string;
  readonly message: string;
  readonly data: JsonValue;
}

/** What one attempt came to. Failures live here and nowhere else. */
export type Outcome = CompletedOutcome | FailedOutcome;

/** What an evaluation answers. */
export interface EvaluationResult {
  readonly observations: readonly { readonly name: string; readonly value: unknown }[];
  readonly output: string;
}

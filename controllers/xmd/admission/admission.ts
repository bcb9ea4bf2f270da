import type { Verdict } from '../fragment/fragment.ts';
import type { Plan } from '../preflight/plan.ts';
import type { AdmissionSecret } from '../secrets/examiner.ts';
import type { JsonObject } from '../values/json.ts';
import type { Grant, Operation } from '../vocabulary/operation.ts';

/** What one evaluation asks to be admitted, and under what. */
export interface Admission {
  readonly text: string;
  readonly policy: JsonObject;
  readonly allow: readonly Grant[];
  /** Entries of the table, in the order of `policy.allowed`. */
  readonly entries: readonly Operation[];
  /** The digest that it is to be exactly what was approved by; absent where no approval is stated. */
  readonly approved?: string;
  /** Roots of version-1 records that this host has taken over. */
  readonly retainedRoots: readonly string[];
  /** What of it would be recorded and looks like a secret. Pure. Asked once, for a fragment that is not on record yet. */
  secret?(): AdmissionSecret | undefined;
  /** Reads the text and walks it. Pure: it may be called again. */
  check(): Verdict<Plan>;
}

import type { Refusal } from '../fragment/fragment.ts';
import type { Plan } from '../preflight/plan.ts';
import type { AdmissionSecret } from '../secrets/examiner.ts';
import type { JsonObject } from '../values/json.ts';
import type { Operation } from '../vocabulary/operation.ts';
import type { Members } from './shape.ts';

/** Version of new admission records; it changes when their shape does. */
export const RECORD_VERSION = 2;

/** Version of the fragment language; it changes when the same text would be read as something else. */
export const READER_VERSION = 1;

/** A fragment that may be performed, and all that was decided about it. */
export interface AdmittedRecord {
  readonly decision: 'admitted';
  readonly occurrence: number;
  readonly text: string;
  readonly policy: Members;
  /** The elements in authored order; each counts into `policy.allowed`, which holds name, form and identity. */
  readonly named: readonly number[];
  /** The digest that it was admitted under, where it was to be exactly what was approved. */
  readonly approved?: string;
}

/** A fragment that was refused: why and where, never a word of it. */
interface RefusedRecord {
  readonly decision: 'refused';
  readonly occurrence: number;
  readonly refusal: Refusal;
}

/** A fragment that would have put a secret on record: which rule says so and where, never a word of it. */
interface WithheldRecord {
  readonly decision: 'refused';
  readonly occurrence: number;
  readonly secret: AdmissionSecret;
}

export type AdmissionRecord = AdmittedRecord | RefusedRecord | WithheldRecord;

/** A record about to be kept: its policy is JSON. */
export type NewRecord = RefusedRecord | WithheldRecord | (AdmittedRecord & { readonly policy: JsonObject });

/** A record as a journal keeps it. Pure. @see kernel-specs/admission-record.md A-01 */
export function encodeRecord(record: NewRecord): JsonObject {
  const head = { version: RECORD_VERSION, reader: READER_VERSION, decision: record.decision };
  const { occurrence } = record;
  if ('secret' in record) {
    const { within, rule, line, column } = record.secret;
    return { ...head, occurrence, secret: { within, rule, line, column } };
  }
  if (record.decision === 'refused') {
    const { class: kind, line, column } = record.refusal;
    return { ...head, occurrence, refusal: { class: kind, line, column } };
  }
  const { text, policy, named, approved } = record;
  return { ...head, occurrence, text, policy, named, ...(approved === undefined ? {} : { approved }) };
}

/** What a plan names, as an admission record lists it. Pure. */
export function namedBy(plan: Plan, entries: readonly Operation[]): readonly number[] {
  const numbers = new Map(entries.map((operation, index) => [operation, index]));
  return plan.effects.map(({ operation }) => numbers.get(operation) ?? -1);
}

import { approvalChanged, policyChanged, textChanged } from '../errors.ts';
import type { Plan } from '../preflight/plan.ts';
import type { Admission } from './admission.ts';
import type { AdmittedRecord } from './record.ts';
import { namedBy } from './record.ts';
import { isSameJson } from './shape.ts';

/** In the order compared; the first that differs is named. */
const POLICY_MEMBERS = ['version', 'allow', 'allowed', 'requests', 'addresses', 'paths', 'limits', 'root'] as const;

/**
 * Compares an admission on record with what this run states: text, policy with its identities, then the elements that a
 * second walk over the text names, then the approval.
 *
 * Pure. Answers the plan of that walk.
 *
 * @throws InvokeError ERR_XMD_TEXT_CHANGED, ERR_XMD_POLICY_CHANGED, ERR_XMD_APPROVAL_MISMATCH
 * @see kernel-specs/admission-record.md A-30
 */
export function compareRecord(record: AdmittedRecord, admission: Admission, path: string): Plan {
  if (record.text !== admission.text) {
    throw textChanged(path);
  }
  const changed = POLICY_MEMBERS.find((member) => !isSameJson(record.policy[member], admission.policy[member]));
  if (changed !== undefined) {
    throw policyChanged(path, changed);
  }
  const plan = rewalk(admission, path);
  if (!isSameJson(record.named, namedBy(plan, admission.entries))) {
    throw policyChanged(path, 'elements');
  }
  if (record.approved !== admission.approved) {
    throw approvalChanged(path);
  }
  return plan;
}

/** Walks an admitted text again; a refusal now means that an operation no longer reads its props as it did. */
export function rewalk(admission: Admission, path: string): Plan {
  const verdict = admission.check();
  if (!verdict.ok) {
    throw policyChanged(path, 'elements');
  }
  return verdict.value;
}

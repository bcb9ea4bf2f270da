import { isInvokeError } from '@telorun/sdk';
import { fragmentRefused, policyChanged, recordUnreadable, textChanged } from '../errors.ts';
import { refusalMessage } from '../fragment/refusal.ts';
import type { Plan } from '../preflight/plan.ts';
import type { JsonValue } from '../values/json.ts';
import { requestLimitJson } from '../values/request-limit.ts';
import type { Operation } from '../vocabulary/operation.ts';
import { readRequestLimits } from '../vocabulary/request-limits.ts';
import type { Admission } from './admission.ts';
import { rewalk } from './compare.ts';
import { isAllow, isForms } from './policy-shape.ts';
import { isRefusalClass } from './read-record.ts';
import type { Members } from './shape.ts';
import { hasExactly, isMembers, isSameJson, readEach } from './shape.ts';

/** An element or entry of a version-1 record: its identity is one string. */
interface LegacyEntry {
  readonly name: string;
  readonly identity: string;
  readonly forms: unknown;
}

/** Whether a record has no version: the untagged shape that came before the tagged ones. Pure. */
export function isLegacyRecord(value: unknown): value is Members {
  return isMembers(value) && !Object.hasOwn(value, 'version') && !Object.hasOwn(value, 'reader');
}

/**
 * Reads a version-1 record closed and compares it: text, allow, entries through their legacy identities, requests,
 * roots through the profile's `retainedRoots`. Limits are the current ones.
 *
 * Pure. Answers the plan of a second walk.
 *
 * @throws InvokeError ERR_XMD_RECORD_UNREADABLE, ERR_XMD_REFUSED, ERR_XMD_TEXT_CHANGED, ERR_XMD_POLICY_CHANGED
 * @see kernel-specs/admission-record.md A-40
 */
export function compareLegacyRecord(record: Members, admission: Admission, path: string): Plan {
  if (record['decision'] === 'refused' && hasExactly(record, ['decision', 'construct'])) {
    const { construct } = record;
    if (!isRefusalClass(construct)) {
      throw recordUnreadable(path, 'construct');
    }
    throw fragmentRefused({ class: construct, line: 1, column: 1 }, refusalMessage({ class: construct }));
  }
  const { decision, source, policy } = record;
  const named = readEach(record['named'], (item) => readEntry(item, 'form'));
  if (
    decision !== 'admitted' ||
    !hasExactly(record, ['decision', 'source', 'named', 'policy']) ||
    typeof source !== 'string' ||
    named === undefined ||
    !isMembers(policy)
  ) {
    throw recordUnreadable(path, 'its list of members');
  }
  const allowed = comparePolicy(policy, admission, { path, source });
  const plan = rewalk(admission, path);
  const renamed = plan.effects.map(({ operation }) => ({
    name: operation.name,
    identity: allowed[admission.entries.indexOf(operation)]?.identity ?? '',
    forms: operation.form,
  }));
  if (!isSameJson(named, renamed)) {
    throw policyChanged(path, 'elements');
  }
  return plan;
}

function comparePolicy(
  policy: Members,
  admission: Admission,
  { path, source }: { readonly path: string; readonly source: string },
): readonly LegacyEntry[] {
  const { allow, requests, selectedRoot } = policy;
  const roots = readEach(policy['roots'], (root) => (typeof root === 'string' && root !== '' ? root : undefined));
  const allowed = readEach(policy['allowed'], (item) => readEntry(item, 'forms'));
  const current = readRequests(requests);
  if (
    !hasExactly(policy, ['allow', 'roots', 'selectedRoot', 'allowed', 'requests']) ||
    !isAllow(allow) ||
    roots === undefined ||
    new Set(roots).size !== roots.length ||
    typeof selectedRoot !== 'string' ||
    !roots.includes(selectedRoot) ||
    allowed === undefined ||
    !allowed.every(({ forms }) => isForms(forms)) ||
    current === undefined
  ) {
    throw recordUnreadable(path, 'policy');
  }
  if (source !== admission.text) {
    throw textChanged(path);
  }
  if (!isSameJson(allow, admission.allow)) {
    throw policyChanged(path, 'allow');
  }
  const { entries, retainedRoots } = admission;
  const same = allowed.length === entries.length && entries.every((entry, index) => stands(allowed[index], entry));
  if (!same) {
    throw policyChanged(path, 'allowed');
  }
  if (!isSameJson(current, admission.policy['requests'])) {
    throw policyChanged(path, 'requests');
  }
  if (!roots.every((root) => retainedRoots.includes(root))) {
    throw policyChanged(path, 'root');
  }
  return allowed;
}

const REQUEST_MEMBERS: readonly (readonly string[])[] = [
  ['url', 'method', 'headers'],
  ['url', 'method', 'headers', 'timeout'],
];

/** The requests of a version-1 policy as one of today states them: each once, in one order, exact ones only. */
function readRequests(value: unknown): JsonValue | undefined {
  const written = readEach(value, (request) =>
    isMembers(request) && REQUEST_MEMBERS.some((members) => hasExactly(request, members)) ? request : undefined,
  );
  if (written === undefined) {
    return undefined;
  }
  try {
    return readRequestLimits(written).map(requestLimitJson);
  } catch (error) {
    if (isInvokeError(error) && error.code === 'ERR_XMD_PROFILE') {
      return undefined;
    }
    throw error;
  }
}

function stands(recorded: LegacyEntry | undefined, operation: Operation): boolean {
  return (
    recorded !== undefined &&
    recorded.name === operation.name &&
    operation.legacy?.includes(recorded.identity) === true &&
    isSameJson(recorded.forms, [operation.form])
  );
}

function readEntry(value: unknown, formMember: 'form' | 'forms'): LegacyEntry | undefined {
  if (!isMembers(value) || !hasExactly(value, ['name', 'identity', formMember])) {
    return undefined;
  }
  const { name, identity } = value;
  return typeof name === 'string' && typeof identity === 'string'
    ? { name, identity, forms: value[formMember] }
    : undefined;
}

import { recordUnreadable } from '../errors.ts';
import type { Refusal, RefusalClass } from '../fragment/fragment.ts';
import { LIMIT_DEFAULTS } from '../vocabulary/limits.ts';
import type { AdmissionRecord } from './record.ts';
import { READER_VERSION, RECORD_VERSION } from './record.ts';
import type { Members } from './shape.ts';
import { hasExactly, isMembers, readCount, readEach } from './shape.ts';

const CLASSES: Readonly<Record<RefusalClass, true>> = {
  block: true,
  expression: true,
  interpolation: true,
  binding: true,
  component: true,
  construct: true,
  form: true,
  content: true,
  props: true,
  request: true,
  limit: true,
};

/**
 * Reads a version-2 admission record closed: a missing, extra or ill-typed member at any level refuses.
 *
 * Pure. Answers what the record says, not whether it still holds.
 *
 * @throws InvokeError ERR_XMD_RECORD_UNREADABLE
 * @see kernel-specs/admission-record.md A-10
 */
export function readRecord(value: unknown, path: string): AdmissionRecord {
  const unreadable = (member: string): never => {
    throw recordUnreadable(path, member);
  };
  if (!isMembers(value) || value['version'] !== RECORD_VERSION) {
    return unreadable('version');
  }
  if (value['reader'] !== READER_VERSION) {
    return unreadable('reader');
  }
  const occurrence = readCount(value['occurrence'], 0) ?? unreadable('occurrence');
  if (value['decision'] === 'refused') {
    if (!hasExactly(value, ['version', 'reader', 'decision', 'occurrence', 'refusal'])) {
      return unreadable('its list of members');
    }
    return { decision: 'refused', occurrence, refusal: readRefusal(value['refusal']) ?? unreadable('refusal') };
  }
  if (value['decision'] !== 'admitted') {
    return unreadable('decision');
  }
  if (!hasExactly(value, ['version', 'reader', 'decision', 'occurrence', 'text', 'policy', 'named'])) {
    return unreadable('its list of members');
  }
  const { text, policy } = value;
  if (typeof text !== 'string') {
    return unreadable('text');
  }
  if (!isMembers(policy) || !isPolicy(policy)) {
    return unreadable('policy');
  }
  const allowed = readEach(policy['allowed'], (entry) => entry)?.length ?? 0;
  const named = readEach(value['named'], (item) => readIndex(item, allowed)) ?? unreadable('named');
  return { decision: 'admitted', occurrence, text, policy, named };
}

/** Whether a class word is one of ours. Pure. */
export function isRefusalClass(value: unknown): value is RefusalClass {
  return typeof value === 'string' && Object.hasOwn(CLASSES, value);
}

const ALLOW: ReadonlySet<string> = new Set(['["read"]', '["write"]', '["read","write"]']);
const FORMS: ReadonlySet<string> = new Set(['["self-closing"]', '["paired"]', '["self-closing","paired"]']);

/** Whether `allow` is a non-empty list of read and write, each once, in that order. Pure. */
export function isAllow(value: unknown): boolean {
  return Array.isArray(value) && ALLOW.has(JSON.stringify(value));
}

/** Whether forms are a non-empty list of the two forms, each once, self-closing first. Pure. */
export function isForms(value: unknown): boolean {
  return Array.isArray(value) && FORMS.has(JSON.stringify(value));
}

function readIndex(value: unknown, length: number): number | undefined {
  const index = readCount(value, 0);
  return index !== undefined && index < length ? index : undefined;
}

function readRefusal(value: unknown): Refusal | undefined {
  if (!isMembers(value) || !hasExactly(value, ['class', 'line', 'column'])) {
    return undefined;
  }
  const { class: kind } = value;
  const line = readCount(value['line'], 1);
  const column = readCount(value['column'], 1);
  return isRefusalClass(kind) && line !== undefined && column !== undefined ? { class: kind, line, column } : undefined;
}

function isPolicy(policy: Members): boolean {
  const { version, allow, allowed, requests, paths, limits, root } = policy;
  return (
    hasExactly(policy, ['version', 'allow', 'allowed', 'requests', 'paths', 'limits', 'root']) &&
    version === RECORD_VERSION &&
    isAllow(allow) &&
    readEach(allowed, (entry) => (isAllowedEntry(entry) ? entry : undefined)) !== undefined &&
    Array.isArray(requests) &&
    requests.length === 0 &&
    isMembers(paths) &&
    hasExactly(paths, []) &&
    isLimits(limits) &&
    typeof root === 'string'
  );
}

function isAllowedEntry(entry: unknown): boolean {
  return (
    isMembers(entry) &&
    hasExactly(entry, ['name', 'identity', 'forms']) &&
    typeof entry['name'] === 'string' &&
    isIdentity(entry['identity']) &&
    isForms(entry['forms'])
  );
}

function isIdentity(identity: unknown): boolean {
  return (
    isMembers(identity) &&
    hasExactly(identity, ['kind', 'origin', 'key', 'revision']) &&
    (identity['kind'] === 'standard' || identity['kind'] === 'host') &&
    [identity['origin'], identity['key'], identity['revision']].every((part) => typeof part === 'string')
  );
}

function isLimits(limits: unknown): boolean {
  const names = Object.keys(LIMIT_DEFAULTS);
  return (
    isMembers(limits) && hasExactly(limits, names) && names.every((name) => readCount(limits[name], 1) !== undefined)
  );
}

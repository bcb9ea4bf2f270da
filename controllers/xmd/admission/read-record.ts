import { recordUnreadable } from '../errors.ts';
import type { Refusal, RefusalClass } from '../fragment/fragment.ts';
import { isPolicy } from './policy-shape.ts';
import type { AdmissionSecret } from '../secrets/examiner.ts';
import type { AdmissionRecord } from './record.ts';
import { READER_VERSION, RECORD_VERSION } from './record.ts';
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
    if (hasExactly(value, ['version', 'reader', 'decision', 'occurrence', 'secret'])) {
      return { decision: 'refused', occurrence, secret: readSecret(value['secret']) ?? unreadable('secret') };
    }
    if (!hasExactly(value, ['version', 'reader', 'decision', 'occurrence', 'refusal'])) {
      return unreadable('its list of members');
    }
    return { decision: 'refused', occurrence, refusal: readRefusal(value['refusal']) ?? unreadable('refusal') };
  }
  if (value['decision'] !== 'admitted') {
    return unreadable('decision');
  }
  const { text, policy, approved } = value;
  const members = ['version', 'reader', 'decision', 'occurrence', 'text', 'policy', 'named'];
  if (!hasExactly(value, approved === undefined ? members : [...members, 'approved'])) {
    return unreadable('its list of members');
  }
  if (approved !== undefined && typeof approved !== 'string') {
    return unreadable('approved');
  }
  if (typeof text !== 'string') {
    return unreadable('text');
  }
  if (!isMembers(policy) || !isPolicy(policy)) {
    return unreadable('policy');
  }
  const allowed = readEach(policy['allowed'], (entry) => entry)?.length ?? 0;
  const named = readEach(value['named'], (item) => readIndex(item, allowed)) ?? unreadable('named');
  return { decision: 'admitted', occurrence, text, policy, named, ...(approved === undefined ? {} : { approved }) };
}

/** Whether a class word is one of ours. Pure. */
export function isRefusalClass(value: unknown): value is RefusalClass {
  return typeof value === 'string' && Object.hasOwn(CLASSES, value);
}

function readIndex(value: unknown, length: number): number | undefined {
  const index = readCount(value, 0);
  return index !== undefined && index < length ? index : undefined;
}

/** Ids of rules, as a library names them: what is shown of a record is never a word of a fragment. */
const RULE = /^[@a-z0-9/._-]{1,200}$/;

function readSecret(value: unknown): AdmissionSecret | undefined {
  if (!isMembers(value) || !hasExactly(value, ['within', 'rule', 'line', 'column'])) {
    return undefined;
  }
  const { within, rule } = value;
  const line = readCount(value['line'], 1);
  const column = readCount(value['column'], 1);
  const known = (within === 'text' || within === 'policy') && typeof rule === 'string' && RULE.test(rule);
  return known && line !== undefined && column !== undefined ? { within, rule, line, column } : undefined;
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

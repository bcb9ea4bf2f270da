import { hasExactly, isMembers, readEach } from '../admission/shape.ts';
import { readObservation } from '../operations/pre-image.ts';
import type { FileObservation } from '../providers/files.ts';
import type { JsonObject } from '../values/json.ts';

/**
 * What a change finds: what stands there now, what an earlier effect of the same fragment leaves there, or why it could
 * not be performed.
 */
export type PreImage = FileObservation | { readonly after: string } | { readonly problem: string };

/** One file that a fragment writes or removes, as a person approves it. */
export interface Target {
  /** Path of the effect below the evaluation. */
  readonly effect: string;
  /** Where the file really is, relative to the root, every link on the way resolved. */
  readonly place: string;
  readonly before: PreImage;
  /** SHA-256 of what is written, lower-case hex; null when it is not known beforehand. A removal has none. */
  readonly content?: string | null;
}

/** A target as JSON, with exactly its members. Pure. */
export function targetJson({ effect, place, before, content }: Target): JsonObject {
  return { effect, place, before: { ...before }, ...(content === undefined ? {} : { content }) };
}

/** Reads targets closed: a missing, extra or ill-typed member anywhere answers undefined. Pure. */
export function readTargets(value: unknown): readonly Target[] | undefined {
  return readEach(value, readTarget);
}

const SHA256 = /^[0-9a-f]{64}$/;

function readTarget(value: unknown): Target | undefined {
  if (!isMembers(value)) {
    return undefined;
  }
  const { effect, place, content } = value;
  const before = readPreImage(value['before']);
  if (typeof effect !== 'string' || typeof place !== 'string' || before === undefined) {
    return undefined;
  }
  if (content === undefined) {
    return hasExactly(value, ['effect', 'place', 'before']) ? { effect, place, before } : undefined;
  }
  const known = content === null || (typeof content === 'string' && SHA256.test(content));
  return known && hasExactly(value, ['effect', 'place', 'before', 'content'])
    ? { effect, place, before, content }
    : undefined;
}

function readPreImage(value: unknown): PreImage | undefined {
  if (isMembers(value) && hasExactly(value, ['after'])) {
    return typeof value['after'] === 'string' ? { after: value['after'] } : undefined;
  }
  if (isMembers(value) && hasExactly(value, ['problem'])) {
    return typeof value['problem'] === 'string' ? { problem: value['problem'] } : undefined;
  }
  return readObservation(value);
}

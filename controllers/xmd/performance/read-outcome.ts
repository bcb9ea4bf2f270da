import { recordUnreadable } from '../errors.ts';
import type { Members } from '../admission/shape.ts';
import { hasExactly, isJsonValue, isMembers, readCount, readEach } from '../admission/shape.ts';
import type { CompletedOutcome, FailedOutcome, ObservationRef, Outcome, OutputPart } from './outcome.ts';

/**
 * Reads an outcome record closed: a missing, extra or ill-typed member refuses.
 *
 * Pure.
 *
 * @throws InvokeError ERR_XMD_RECORD_UNREADABLE
 * @see kernel-specs/admission-record.md A-20
 */
export function readOutcome(value: unknown, path: string): Outcome {
  if (isMembers(value) && value['outcome'] === 'completed') {
    return readCompleted(value, path);
  }
  if (isMembers(value) && value['outcome'] === 'failed') {
    return readFailed(value, path);
  }
  throw recordUnreadable(path, 'outcome');
}

function readCompleted(value: Members, path: string): CompletedOutcome {
  if (!hasExactly(value, ['outcome', 'observations', 'output', 'effects'])) {
    throw recordUnreadable(path, 'its list of members');
  }
  const effects = readEach(value['effects'], readEffect);
  if (effects === undefined) {
    throw recordUnreadable(path, 'effects');
  }
  const isNumber = (effect: unknown): effect is number => (readCount(effect, 0) ?? effects.length) < effects.length;
  const observations = readEach(value['observations'], (item): ObservationRef | undefined => {
    if (!isMembers(item) || !hasExactly(item, ['name', 'effect'])) {
      return undefined;
    }
    const { name, effect } = item;
    return typeof name === 'string' && isNumber(effect) ? { name, effect } : undefined;
  });
  if (observations === undefined) {
    throw recordUnreadable(path, 'observations');
  }
  const output = readEach(value['output'], (item): OutputPart | undefined =>
    typeof item === 'string' || isNumber(item) ? item : undefined,
  );
  if (output === undefined) {
    throw recordUnreadable(path, 'output');
  }
  return { outcome: 'completed', observations, output, effects };
}

function readFailed(value: Members, path: string): FailedOutcome {
  const { effect, code, message, data } = value;
  if (
    !hasExactly(value, ['outcome', 'effect', 'code', 'message', 'data']) ||
    typeof effect !== 'string' ||
    typeof code !== 'string' ||
    typeof message !== 'string' ||
    !isJsonValue(data)
  ) {
    throw recordUnreadable(path, 'the failure');
  }
  return { outcome: 'failed', effect, code, message, data };
}

function readEffect(item: unknown): readonly [string, string] | undefined {
  if (!Array.isArray(item) || item.length !== 2) {
    return undefined;
  }
  const [path, sha256]: readonly unknown[] = item;
  return typeof path === 'string' && typeof sha256 === 'string' ? [path, sha256] : undefined;
}

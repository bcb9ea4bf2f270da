import type { JsonValue } from '../values/json.ts';

/** A record as it came back: members by name, nothing known of their values. */
export type Members = Readonly<Record<string, unknown>>;

/** Whether a value is an object with members, not an array. Pure. */
export function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether the members are exactly these, none missing and none more. Pure. */
export function hasExactly(value: Members, names: readonly string[]): boolean {
  return Object.keys(value).length === names.length && names.every((name) => Object.hasOwn(value, name));
}

/** Reads each item of a list, or answers undefined when the value is no list or one item cannot be read. Pure. */
export function readEach<T>(value: unknown, read: (item: unknown) => T | undefined): readonly T[] | undefined {
  if (!Array.isArray(value)) {
    return undefined;
  }
  const items: T[] = [];
  for (const item of value) {
    const one = read(item);
    if (one === undefined) {
      return undefined;
    }
    items.push(one);
  }
  return items;
}

/** A whole number of at least `least` that is exact, or undefined. Pure. */
export function readCount(value: unknown, least: number): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= least ? value : undefined;
}

/** Deepest nesting of a record; what reads it recurses, and no record of ours comes near it. */
const JSON_DEPTH_MAX = 1_000;

/** Whether a value is plain JSON, and not nested too deep to be worked with. Pure. */
export function isJsonValue(value: unknown): value is JsonValue {
  return isJsonWithin(value, JSON_DEPTH_MAX);
}

function isJsonWithin(value: unknown, depth: number): boolean {
  if (typeof value === 'object' && value !== null) {
    const members: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
    return depth > 0 && members.every((member) => isJsonWithin(member, depth - 1));
  }
  return value === null || typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value);
}

/** Whether a value that came back is the same JSON, in whatever order its members are. Pure. */
export function isSameJson(value: unknown, wanted: JsonValue | undefined): boolean {
  return wanted !== undefined && isJsonValue(value) && isSame(value, wanted);
}

/** Recurses no deeper than `value`, which is known to be no deeper than a record may be. */
function isSame(value: unknown, wanted: unknown): boolean {
  if (typeof value !== 'object' || value === null || typeof wanted !== 'object' || wanted === null) {
    return value === wanted;
  }
  if (Array.isArray(value)) {
    return (
      Array.isArray(wanted) && value.length === wanted.length && value.every((item, at) => isSame(item, wanted[at]))
    );
  }
  const names = Object.keys(value);
  return (
    !Array.isArray(wanted) &&
    names.length === Object.keys(wanted).length &&
    names.every((name) => Object.hasOwn(wanted, name) && isSame(Reflect.get(value, name), Reflect.get(wanted, name)))
  );
}

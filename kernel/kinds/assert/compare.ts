import { isPlainObject } from '../../graph/plain.ts';

/** Deep equality of data, as the Assert kinds mean it: an integer equals the same number in either form. Pure. */
export function sameData(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (isNumeric(a) && isNumeric(b)) return sameNumber(a, b);
  if (Array.isArray(a))
    return Array.isArray(b) && a.length === b.length && a.every((item, index) => sameData(item, b[index]));
  if (a instanceof Date) return b instanceof Date && a.getTime() === b.getTime();
  if (a instanceof Uint8Array) return b instanceof Uint8Array && Buffer.compare(a, b) === 0;
  if (!isPlainObject(a) || !isPlainObject(b)) return false;
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && sameData(a[key], b[key]))
  );
}

function isNumeric(value: unknown): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint';
}

function sameNumber(a: number | bigint, b: number | bigint): boolean {
  // JavaScript compares the two forms exactly with ==, without rounding either.
  return a == b;
}

/** A value as it is shown in a failed assertion. Pure. */
export function shown(value: unknown): string {
  const text = JSON.stringify(value, (_key, member: unknown) =>
    typeof member === 'bigint' ? member.toString() : member,
  );
  return text ?? String(value);
}

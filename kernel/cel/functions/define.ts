import type { Environment } from '@marcbachmann/cel-js';

type Handler = (...values: never[]) => unknown;

/** Registers synchronous functions: signature to implementation. Effect: changes `environment`. */
export function define(environment: Environment, functions: Readonly<Record<string, Handler>>): void {
  for (const [signature, handler] of Object.entries(functions)) {
    environment.registerFunction(signature, handler, { async: false });
  }
}

/** A number of an expression, whichever of its two kinds it is. @throws Error when it is neither. */
export function numeric(value: unknown, what: string): number | bigint {
  if (typeof value === 'number' || typeof value === 'bigint') return value;
  throw new Error(`${what} takes numbers, not ${typeOf(value)}`);
}

/** The items of a list. @throws Error when it is none. */
export function items(value: unknown, what: string): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw new Error(`${what} takes a list, not ${typeOf(value)}`);
}

export function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'list';
  if (value instanceof Uint8Array) return 'bytes';
  if (value instanceof Date) return 'timestamp';
  const names: Readonly<Record<string, string>> = {
    bigint: 'int',
    number: 'double',
    boolean: 'bool',
    object: 'map',
    undefined: 'null',
  };
  return names[typeof value] ?? typeof value;
}

/** Orders numbers, strings, booleans and timestamps, each among their own. @throws Error for anything else. */
export function compare(a: unknown, b: unknown, what: string): number {
  const pair = typeOf(a) + typeOf(b);
  if (a instanceof Date && b instanceof Date) return Math.sign(a.getTime() - b.getTime());
  if (typeof a === 'string' && typeof b === 'string') return a < b ? -1 : a > b ? 1 : 0;
  if (pair === 'boolbool') return Number(a) - Number(b);
  const left = numeric(a, what);
  const right = numeric(b, what);
  return left < right ? -1 : left > right ? 1 : 0;
}

/** Whether two values of expressions are the same, a double and an int of equal size included; each pair is a step. */
export function same(a: unknown, b: unknown, spend: (steps: number) => void): boolean {
  spend(1);
  if (Object.is(a, b)) return true;
  if ((typeof a === 'number' || typeof a === 'bigint') && (typeof b === 'number' || typeof b === 'bigint'))
    return a == b;
  if (a instanceof Date && b instanceof Date) return a.getTime() === b.getTime();
  if (a instanceof Uint8Array && b instanceof Uint8Array) return Buffer.compare(a, b) === 0;
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((item, i) => same(item, b[i], spend));
  return isMap(a) && isMap(b) && sameMembers(a, b, spend);
}

function isMap(value: unknown): value is object {
  return typeOf(value) === 'map';
}

function sameMembers(a: object, b: object, spend: (steps: number) => void): boolean {
  const left: [string, unknown][] = Object.entries(a);
  return (
    left.length === Object.keys(b).length &&
    left.every(([key, value]) => Object.hasOwn(b, key) && same(value, Reflect.get(b, key), spend))
  );
}

import { AssertionError } from 'node:assert';
import { inspect, isDeepStrictEqual } from 'node:util';
import { codeOf } from '@telorun/sdk';

const SHOWN = { depth: 8, breakLength: 120, maxStringLength: 400, maxArrayLength: 40 } as const;

/** Fails a case. @throws AssertionError */
export function failed(message: string, found: { readonly actual?: unknown; readonly expected?: unknown } = {}): never {
  throw new AssertionError({ message, operator: 'conformance', ...found });
}

/** Strict and deep: `-0` is not `0`, a Date is not a text. @throws AssertionError */
export function equal(actual: unknown, expected: unknown, what: string): void {
  if (isDeepStrictEqual(actual, expected)) return;
  failed(`${what}: expected ${inspect(expected, SHOWN)}, found ${inspect(actual, SHOWN)}`, { actual, expected });
}

/** Compares those members of an object that `expected` states. @throws AssertionError */
export function matches(actual: unknown, expected: Readonly<Record<string, unknown>>, what: string): void {
  const found =
    typeof actual === 'object' && actual !== null
      ? Object.fromEntries(Object.keys(expected).map((key): [string, unknown] => [key, Reflect.get(actual, key)]))
      : actual;
  equal(found, expected, what);
}

/** @throws AssertionError unless `condition` holds */
export function holds(condition: boolean, what: string): asserts condition {
  if (!condition) failed(`expected that ${what}`);
}

/** What `work` throws. @throws AssertionError when it throws nothing */
export async function thrownBy(work: () => unknown, what: string): Promise<unknown> {
  let value: unknown;
  try {
    value = await work();
  } catch (error) {
    // The case is about this error; what it must be is compared by the caller.
    return error;
  }
  return failed(`${what}: expected an error, found ${inspect(value, SHOWN)}`, { actual: value });
}

/** Expects `work` to fail with a code, and answers the error. @throws AssertionError */
export async function refuses(work: () => unknown, code: string, what: string): Promise<unknown> {
  const error = await thrownBy(work, what);
  if (codeOf(error) !== code) {
    failed(`${what}: expected ${code}, found ${codeOf(error) ?? inspect(error, SHOWN)}`, {
      actual: error,
      expected: code,
    });
  }
  return error;
}

/** The `data` of a coded error. Pure. */
export function dataOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'data' in error ? error.data : undefined;
}

/** Does the same a number of times, one after another. */
export async function times(count: number, work: () => Promise<unknown>): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await work();
}

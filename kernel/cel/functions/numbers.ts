import type { Environment } from '@marcbachmann/cel-js';
import { compare, define, items, numeric } from './define.ts';

/** Numbers: `abs floor ceil round`, and `min max sum avg` over a list. */
export function registerNumbers(environment: Environment): void {
  define(environment, {
    'abs(dyn): dyn': absolute,
    'floor(dyn): double': (value: unknown) => Math.floor(Number(numeric(value, 'floor'))),
    'ceil(dyn): double': (value: unknown) => Math.ceil(Number(numeric(value, 'ceil'))),
    'round(dyn): double': (value: unknown) => round(Number(numeric(value, 'round'))),
    'min(list): dyn': (list: unknown) => extreme(list, 'min', -1),
    'max(list): dyn': (list: unknown) => extreme(list, 'max', 1),
    'sum(list): dyn': sum,
    'avg(list): double': average,
  });
}

function absolute(value: unknown): number | bigint {
  const number = numeric(value, 'abs');
  return number < 0 ? -number : number;
}

/** Half away from zero, which Math.round does only above it. */
function round(value: number): number {
  return Math.sign(value) * Math.round(Math.abs(value));
}

function extreme(list: unknown, what: string, sign: number): unknown {
  const [first, ...rest] = items(list, what);
  if (first === undefined) throw new Error(`${what} of an empty list`);
  return rest.reduce((best, item) => (Math.sign(compare(item, best, what)) === sign ? item : best), first);
}

/** An int when every item is one, else a double. */
function sum(list: unknown): number | bigint {
  const numbers = items(list, 'sum').map((item) => numeric(item, 'sum'));
  if (numbers.every((number) => typeof number === 'bigint')) {
    const total = numbers.reduce((a, b) => a + b, 0n);
    if (BigInt.asIntN(64, total) !== total) throw new Error(`integer overflow: ${total}`);
    return total;
  }
  return numbers.reduce<number>((a, b) => a + Number(b), 0);
}

function average(list: unknown): number {
  const numbers = items(list, 'avg').map((item) => Number(numeric(item, 'avg')));
  if (numbers.length === 0) throw new Error('avg of an empty list');
  return numbers.reduce((a, b) => a + b, 0) / numbers.length;
}

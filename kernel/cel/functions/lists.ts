import type { Environment } from '@marcbachmann/cel-js';
import { assertLength, spend, surfaceOf } from '../budget.ts';
import { compare, define, items, same, typeOf } from './define.ts';

const RANGE_LIMIT = 1_000_000;

/** Lists and maps: `join keys values distinct reverse flatten sort range enumerate default coalesce`. */
export function registerLists(environment: Environment): void {
  define(environment, {
    'join(list, string): string': (list: unknown[], separator: string) => joined(list, separator),
    'keys(map): list<dyn>': (map: object) => (map instanceof Map ? [...map.keys()] : Object.keys(map)),
    'values(map): list<dyn>': (map: object) => (map instanceof Map ? [...map.values()] : Object.values(map)),
    'distinct(list): list<dyn>': distinct,
    'reverse(list): list<dyn>': (list: unknown[]) => list.toReversed(),
    'flatten(list): list<dyn>': flatten,
    'sort(list): list<dyn>': (list: unknown[]) => list.toSorted((a, b) => paidCompare(a, b)),
    'range(int): list<int>': range,
    'enumerate(list): list<dyn>': (list: unknown[]) => list.map((value, index) => ({ index: BigInt(index), value })),
    'default(dyn, dyn): dyn': (value: unknown, fallback: unknown) => value ?? fallback,
    'coalesce(list): dyn': (list: unknown) =>
      items(list, 'coalesce').find((value) => value !== null && value !== undefined) ?? null,
    'guardedKey(dyn): dyn': guardedKey,
  });
}

function flatten(list: readonly unknown[]): unknown[] {
  assertLength(list.reduce<number>((sum, item) => sum + (Array.isArray(item) ? item.length : 1), 0));
  return list.flat();
}

function paidCompare(a: unknown, b: unknown): number {
  spend(1 + surfaceOf(a));
  return compare(a, b, 'sort');
}

function joined(list: readonly unknown[], separator: string): string {
  return list
    .map((item) => {
      const type = typeOf(item);
      if (type === 'list' || type === 'map' || type === 'bytes')
        throw new Error(`join takes texts and numbers, not ${type}`);
      return [item].join('');
    })
    .join(separator);
}

function distinct(list: readonly unknown[]): unknown[] {
  const seen = new Set<unknown>();
  const compound: unknown[] = [];
  return list.filter((item) => {
    if (typeof item !== 'object' || item === null) {
      const key = typeof item === 'bigint' && BigInt(Number(item)) === item ? Number(item) : item;
      return !seen.has(key) && seen.add(key);
    }
    return !compound.some((other) => same(other, item, spend)) && compound.push(item);
  });
}

function range(count: bigint): bigint[] {
  if (count < 0n || count > RANGE_LIMIT) throw new Error(`range takes 0 to ${RANGE_LIMIT}`);
  return Array.from({ length: Number(count) }, (_, index) => BigInt(index));
}

function guardedKey(key: unknown): unknown {
  if (key === '__proto__' || key === 'constructor' || key === 'prototype') {
    throw new Error(`A map cannot have the key ${key}`);
  }
  return key;
}

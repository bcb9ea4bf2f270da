import { InvokeError } from '@telorun/sdk';
import { ecmaPattern } from '../cel/pattern/ecma.ts';
import { isRecord } from './record.ts';

/** Places of a value that a check may look at, each once for every schema that describes it. */
const VISIT_LIMIT = 3_000_000;
/** Instructions that the patterns of one check follow. */
const SEARCH_LIMIT = 10_000_000;

interface Budget {
  visits: number;
  readonly search: { left: number; readonly onSpent: () => never };
}

/** Checking is synchronous: there is never more than one. */
let current = fresh();

/** Runs one check under a fresh budget. @throws InvokeError ERR_SCHEMA_LIMIT, or `onOverflow` of an exhausted stack. */
export function checked<T>(check: () => T, onOverflow: (error: unknown) => Error): T {
  const outer = current;
  current = fresh();
  try {
    return check();
  } catch (error) {
    throw error instanceof RangeError ? onOverflow(error) : error;
  } finally {
    current = outer;
  }
}

/** Takes one visit off the budget. Effect: on the check that runs. @throws InvokeError ERR_SCHEMA_LIMIT when it is spent. */
export function visit(cost: unknown, value: unknown): boolean {
  current.visits -= isRecord(cost) && typeof cost['fixed'] === 'number' ? cost['fixed'] : 1;
  if (typeof value === 'string') current.visits -= value.length >> 8;
  if (Array.isArray(value) && isRecord(cost) && cost['unique'] === true) {
    // Every pair of items is compared, as deep as they are.
    current.visits -= (value.length * sizeOf(value, 100_000)) / 100;
  }
  if (current.visits < 0) refuse('visits', `takes more than ${VISIT_LIMIT} steps`);
  return true;
}

/** A pattern of a schema, for the engine, which tells patterns apart by their text. Pure but for the budget it spends. */
export function schemaPattern(source: string): { test: (text: string) => boolean; toString: () => string } {
  const compiled = ecmaPattern(source);
  return {
    test: (text) => compiled.find(text, 0, current.search) !== undefined,
    toString: () => `/${source}/u`,
  };
}

function sizeOf(value: unknown, most: number): number {
  const open = [value];
  let size = 0;
  for (let one = open.pop(); one !== undefined && size < most; one = open.pop()) {
    size += 1;
    if (typeof one === 'object' && one !== null) for (const member of Object.values(one)) open.push(member ?? 0);
  }
  return size;
}

function fresh(): Budget {
  return { visits: VISIT_LIMIT, search: { left: SEARCH_LIMIT, onSpent: searchedTooLong } };
}

function searchedTooLong(): never {
  refuse('search', 'has a text that is too long for a pattern');
}

function refuse(limit: string, what: string): never {
  const data = { limit, hint: 'Give a smaller value, or state a simpler schema.' };
  throw new InvokeError('ERR_SCHEMA_LIMIT', `Holding the value to its schema ${what}`, data);
}

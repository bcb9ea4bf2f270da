import type { ErrorObject } from 'ajv';
import { InvokeError } from '@telorun/sdk';
import { isPlainObject } from '../graph/plain.ts';
import { boundedValidator } from '../manifest/ajv.ts';
import { isInstance } from './instances.ts';

export interface SchemaCheck {
  /** What the schema says against the value; empty when it is satisfied. */
  readonly problems: readonly string[];
  /** A copy of the value, with the schema's defaults where they were asked for. */
  readonly value: unknown;
}

/** Problems that are told of one value. */
const PROBLEM_LIMIT = 100;

interface Options {
  readonly defaults: boolean;
}

/**
 * Checks a copy of `value` against a draft-07 schema, compiled once for each schema object.
 *
 * Pure for its caller. Integers that arrive as BigInt count as numbers and come back as BigInt; class instances and
 * live resources are shared, not copied.
 *
 * @throws Error when the schema itself cannot be compiled, InvokeError ERR_SCHEMA_LIMIT when the value takes too long.
 */
export function checkSchema(schema: object, value: unknown, options: Options): SchemaCheck {
  const validate = boundedValidator(schema, { defaults: options.defaults && statesDefault(schema) });
  const restore: (() => void)[] = [];
  const holder: { value: unknown } = { value: undefined };
  holder.value = withNumbers(value, (bigint) => restore.push(() => (holder.value = bigint)), restore);
  const errors = validate(holder.value);
  for (const put of restore) put();
  return { value: holder.value, problems: errors.slice(0, PROBLEM_LIMIT).map(describe) };
}

/**
 * Checks `value` and answers nothing. Pure.
 *
 * @throws InvokeError ERR_SCHEMA_VALIDATION_FAILED with the problems
 */
export function assertSchema(schema: object, value: unknown): void {
  const { problems } = checkSchema(schema, value, { defaults: false });
  if (problems.length === 0) return;
  throw new InvokeError('ERR_SCHEMA_VALIDATION_FAILED', `Cannot accept the value: ${problems.join('; ')}`, {
    problems,
    hint: 'Give a value that its schema admits.',
  });
}

/** Most contracts state no default: they do with the engine that the check of the manifest has warmed up. */
function statesDefault(schema: unknown): boolean {
  if (typeof schema !== 'object' || schema === null) return false;
  return 'default' in schema || Object.values(schema).some(statesDefault);
}

function withNumbers(value: unknown, onBigInt: (value: bigint) => void, restore: (() => void)[]): unknown {
  if (typeof value === 'bigint') {
    onBigInt(value);
    return Number(value);
  }
  if (Array.isArray(value)) {
    const items: unknown[] = [];
    value.forEach((item, index) => {
      items[index] = withNumbers(item, (bigint) => restore.push(() => (items[index] = bigint)), restore);
    });
    return items;
  }
  if (!isPlainObject(value) || isInstance(value)) return value;
  const members: Record<string, unknown> = {};
  for (const [key, member] of Object.entries(value)) {
    const put = (next: unknown): void => {
      Object.defineProperty(members, key, { value: next, enumerable: true, configurable: true, writable: true });
    };
    put(withNumbers(member, (bigint) => restore.push(() => put(bigint)), restore));
  }
  return members;
}

function describe({ instancePath, message, params }: ErrorObject): string {
  const extra: unknown = params['additionalProperty'] ?? params['allowedValues'] ?? params['allowedValue'];
  const detail = extra === undefined ? '' : ` (${JSON.stringify(extra)})`;
  return `${instancePath === '' ? 'the value' : instancePath} ${message ?? 'is not admitted'}${detail}`;
}

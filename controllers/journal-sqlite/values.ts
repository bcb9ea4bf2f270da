import { InvokeError, decodeJsonValue, encodeJsonValue, isInvokeError } from '@telorun/sdk';
import type { SqlRow } from './driver.ts';
import { UnreadableRecord } from './errors.ts';

/**
 * The text that a value is kept as; null for undefined. Pure.
 *
 * @throws InvokeError ERR_DURABLE_UNJOURNALABLE_VALUE
 */
export function toText(value: unknown, where: { readonly run: string; readonly path: string }): string | null {
  if (value === undefined) return null;
  let text: unknown;
  try {
    text = JSON.stringify(encodeJsonValue(value));
  } catch (error) {
    if (isInvokeError(error)) throw error;
    throw unjournalable(where, error);
  }
  if (typeof text !== 'string') throw unjournalable(where);
  return text;
}

function unjournalable(where: { readonly run: string; readonly path: string }, cause?: unknown): InvokeError {
  return new InvokeError(
    'ERR_DURABLE_UNJOURNALABLE_VALUE',
    `The value at "${where.path}" of run "${where.run}" cannot be written as JSON.`,
    { ...where, hint: 'Return plain data: objects, arrays, strings, finite numbers, integers, booleans, null.' },
    cause === undefined ? undefined : { cause },
  );
}

/** The value that `toText` was given. Pure. Throws UnreadableRecord for text that it never wrote. */
export function fromText(text: string | null): unknown {
  if (text === null) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new UnreadableRecord('a recorded value is not JSON', {}, { cause: error });
  }
  // Only a text that holds the tag can decode to anything else.
  return text.includes('$bigint') ? decodeJsonValue(value) : value;
}

export function textOf(row: SqlRow, column: string): string {
  const value = row[column];
  if (typeof value !== 'string') throw new UnreadableRecord(`column ${column} holds no text`);
  return value;
}

export function textOrNull(row: SqlRow, column: string): string | null {
  return row[column] === null ? null : textOf(row, column);
}

export function integerOf(row: SqlRow, column: string): number {
  const value = row[column];
  if (typeof value !== 'number' || !Number.isSafeInteger(value)) {
    throw new UnreadableRecord(`column ${column} holds no integer`);
  }
  return value;
}

export function integerOrNull(row: SqlRow, column: string): number | null {
  return row[column] === null ? null : integerOf(row, column);
}

/** A value that is there, under its name; nothing for undefined: optional members are left out, not set to undefined. */
export function present<K extends string, T>(name: K, value: T | null | undefined): { [name in K]?: T } {
  const member: { [name in K]?: T } = {};
  if (value !== undefined && value !== null) member[name] = value;
  return member;
}

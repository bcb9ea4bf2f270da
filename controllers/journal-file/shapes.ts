import { UnreadableRecord } from '../journal-sqlite/errors.ts';

/** Closed reading of data that anybody may have written. Each reader throws UnreadableRecord for anything else. */

export type Shape = Readonly<Record<string, unknown>>;

export function shapeOf(value: unknown, what: string): Shape {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  throw new UnreadableRecord(`${what} is no object`);
}

export function textIn(shape: Shape, member: string): string {
  const value = own(shape, member);
  if (typeof value === 'string') return value;
  throw new UnreadableRecord(`"${member}" is no text`);
}

export function textIfAny(shape: Shape, member: string): string | undefined {
  return own(shape, member) === undefined ? undefined : textIn(shape, member);
}

export function numberIn(shape: Shape, member: string): number {
  const value = own(shape, member);
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  throw new UnreadableRecord(`"${member}" is no number`);
}

export function numberIfAny(shape: Shape, member: string): number | undefined {
  return own(shape, member) === undefined ? undefined : numberIn(shape, member);
}

/** One of a list of words. */
export function wordIn<W extends string>(shape: Shape, member: string, words: readonly W[]): W {
  const value = own(shape, member);
  const word = words.find((one) => one === value);
  if (word === undefined) throw new UnreadableRecord(`"${member}" is no known word`);
  return word;
}

/** A member of its own: nothing that an object inherits. Pure. */
export function own(shape: Shape, member: string): unknown {
  return Object.hasOwn(shape, member) ? shape[member] : undefined;
}

import { isPlainObject, setOwn } from '../graph/plain.ts';
import { Expression, Reference } from '../manifest/tagged.ts';
import { isInstance } from './instances.ts';

type Values = Readonly<Record<string, unknown>>;

/** Whether an object holds an expression. Only objects are keys, and what the kernel writes into one holds none. */
const holding = new WeakMap<object, boolean>();

/**
 * Evaluates every expression in `value` over `scope`, which is built only when there is one.
 *
 * Pure. Plain objects and arrays come out fresh; class instances and live resources pass as they are.
 *
 * @throws Error of the expression that failed.
 */
export function expand(value: unknown, scope: () => Values): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (!holdsExpression(value)) return copy(value);
  return evaluate(value, scope());
}

function evaluate(value: unknown, scope: Values): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Expression) return value.evaluate(scope);
  if (!holdsExpression(value)) return copy(value);
  if (Array.isArray(value)) return value.map((item) => evaluate(item, scope));
  return mapMembers(value, (member) => evaluate(member, scope));
}

/** A fresh copy of plain containers; everything else is shared. Pure. */
function copy(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(copy);
  return isPlainObject(value) && !isInstance(value) ? mapMembers(value, copy) : value;
}

function mapMembers(value: object, map: (member: unknown) => unknown): Record<string, unknown> {
  const result: Record<string, unknown> = {};
  for (const [key, member] of Object.entries(value)) setOwn(result, key, map(member));
  return result;
}

function holdsExpression(value: object): boolean {
  if (value instanceof Expression) return true;
  const known = holding.get(value);
  if (known !== undefined) return known;
  const holds = children(value).some((child) => typeof child === 'object' && child !== null && holdsExpression(child));
  holding.set(value, holds);
  return holds;
}

function children(value: object): readonly unknown[] {
  if (Array.isArray(value)) return value;
  return isPlainObject(value) && !isInstance(value) ? Object.values(value) : [];
}

/** How references inside a value are resolved. */
export interface References {
  /** What stands for one. */
  reference(reference: Reference): unknown;
  /** Answers a plain object as a whole, where it needs more than its members. */
  members?(value: Readonly<Record<string, unknown>>): Record<string, unknown> | undefined;
}

/** Replaces each `!ref` by what `references` answers for it; expressions stay. Pure, fresh containers. */
export function withReferences(value: unknown, references: References): unknown {
  if (value instanceof Reference) return references.reference(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => withReferences(item, references));
  if (!isPlainObject(value) || isInstance(value)) return value;
  return references.members?.(value) ?? mapMembers(value, (member) => withReferences(member, references));
}

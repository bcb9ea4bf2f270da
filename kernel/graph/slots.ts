import { isPlainObject } from './plain.ts';

/** A place in a resource's configuration that its kind's schema declares as a reference. */
export interface ReferenceSlot {
  readonly path: readonly (string | number)[];
  /** What holds the value, so that a live instance can be put in its place. */
  readonly container: Record<string, unknown> | unknown[];
  readonly key: string | number;
}

/** A place whose expressions are evaluated once, before `create`, with what the schema says of the value. */
export interface CompileSlot extends ReferenceSlot {
  readonly schema: Readonly<Record<string, unknown>>;
}

type Visit = (schema: Readonly<Record<string, unknown>>, place: ReferenceSlot | undefined, value: unknown) => boolean;

/** Where `value` is declared as a reference (`x-telo-ref`): direct, in arrays and in maps. Pure. A `$ref` is not followed. */
export function referenceSlots(schema: unknown, value: unknown): readonly ReferenceSlot[] {
  const slots = new Map<string, ReferenceSlot>();
  walk(schema, value, undefined, (at, place) => {
    if (at['x-telo-ref'] === undefined) return true;
    if (place !== undefined) slots.set(JSON.stringify(place.path), place);
    return false;
  });
  return [...slots.values()];
}

/** Where `value` is declared as evaluated once before `create` (`x-telo-eval: compile`). Pure. */
export function compileSlots(schema: unknown, value: unknown): readonly CompileSlot[] {
  const slots = new Map<string, CompileSlot>();
  walk(schema, value, undefined, (at, place) => {
    if (at['x-telo-eval'] !== 'compile') return true;
    if (place !== undefined) slots.set(JSON.stringify(place.path), { ...place, schema: at });
    return false;
  });
  return [...slots.values()];
}

function walk(schema: unknown, value: unknown, place: ReferenceSlot | undefined, visit: Visit): void {
  if (!isPlainObject(schema) || value === undefined) return;
  if (!visit(schema, place, value)) return;
  for (const combined of ['allOf', 'anyOf', 'oneOf']) {
    const branches = schema[combined];
    if (Array.isArray(branches)) for (const branch of branches) walk(branch, value, place, visit);
  }
  if (Array.isArray(value)) walkItems(schema, value, place, visit);
  else if (isPlainObject(value)) walkMembers(schema, value, place, visit);
}

function walkItems(
  schema: Readonly<Record<string, unknown>>,
  value: unknown[],
  place: ReferenceSlot | undefined,
  visit: Visit,
): void {
  const { items } = schema;
  value.forEach((item, index) => {
    const below = { path: [...(place?.path ?? []), index], container: value, key: index };
    walk(Array.isArray(items) ? items[index] : items, item, below, visit);
  });
}

function walkMembers(
  schema: Readonly<Record<string, unknown>>,
  value: Record<string, unknown>,
  place: ReferenceSlot | undefined,
  visit: Visit,
): void {
  const properties = isPlainObject(schema['properties']) ? schema['properties'] : {};
  const patterns = isPlainObject(schema['patternProperties']) ? Object.entries(schema['patternProperties']) : [];
  for (const [key, member] of Object.entries(value)) {
    const below = { path: [...(place?.path ?? []), key], container: value, key };
    if (Object.hasOwn(properties, key)) {
      walk(properties[key], member, below, visit);
      continue;
    }
    const matching = patterns.filter(([pattern]) => new RegExp(pattern, 'u').test(key));
    for (const [, patterned] of matching) walk(patterned, member, below, visit);
    if (matching.length === 0) walk(schema['additionalProperties'], member, below, visit);
  }
}

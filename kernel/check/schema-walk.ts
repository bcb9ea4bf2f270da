import { ecmaPattern } from '../cel/pattern/ecma.ts';
import { isRecord } from '../manifest/record.ts';
import type { FieldPath } from '../manifest/model.ts';

type Schema = Readonly<Record<string, unknown>>;

/** What holds at one value of a configuration because of the schemas above and at it. */
export interface Place {
  readonly path: FieldPath;
  /** Schemas that describe the value itself. */
  readonly schemas: readonly Schema[];
  /** `x-telo-eval` of the nearest schema that states it. */
  readonly evaluation: 'compile' | 'runtime' | undefined;
  /** Root variables that `x-telo-context` adds; undefined when no schema states a context. */
  readonly context: ReadonlySet<string> | undefined;
}

/** Answers whether to look below the value. */
export type Visit = (value: unknown, place: Place) => boolean;

/** Visits a configuration with what its kind's schema says of each place; follows `$ref` inside the schema. Pure. */
export function walkConfiguration(schema: Schema, value: unknown, visit: Visit): void {
  const root: Place = { path: [], schemas: [], evaluation: undefined, context: undefined };
  walk(value, placeOf([schema], [], root, schema), schema, visit);
}

function walk(value: unknown, place: Place, root: Schema, visit: Visit): void {
  if (!visit(value, place)) return;
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      const below = place.schemas.flatMap(({ items }) => schemasIn(Array.isArray(items) ? items[index] : items));
      walk(item, placeOf(below, [...place.path, index], place, root), root, visit);
    }
  } else if (isRecord(value)) {
    for (const [key, member] of Object.entries(value)) {
      const below = place.schemas.flatMap((schema) => memberSchemas(schema, key));
      walk(member, placeOf(below, [...place.path, key], place, root), root, visit);
    }
  }
}

function placeOf(schemas: readonly Schema[], path: FieldPath, above: Place, root: Schema): Place {
  const seen = new Set<Schema>();
  const all = schemas.flatMap((schema) => expanded(schema, root, seen));
  const stated = all.map((schema) => schema['x-telo-eval']).find((one) => one === 'compile' || one === 'runtime');
  const contexts = all.map((schema) => schema['x-telo-context']).filter(isRecord);
  const context =
    contexts.length === 0 ? above.context : new Set([...(above.context ?? []), ...contexts.flatMap(roots)]);
  return { path, schemas: all, evaluation: stated ?? above.evaluation, context };
}

/** A schema with everything that describes the same value, each once: its branches and what its `$ref` names. */
function expanded(schema: Schema, root: Schema, seen = new Set<Schema>()): Schema[] {
  if (seen.has(schema)) return [];
  seen.add(schema);
  const branches = ['allOf', 'anyOf', 'oneOf'].flatMap((keyword) => schema[keyword] ?? []);
  const conditional = [schema['then'], schema['else']];
  const named = localReference(schema['$ref'], root);
  const others = [...branches, ...conditional, named].flatMap(schemasIn);
  return [schema, ...others.flatMap((other) => expanded(other, root, seen))];
}

function localReference(reference: unknown, root: Schema): unknown {
  if (typeof reference !== 'string' || !reference.startsWith('#/')) return undefined;
  return reference
    .slice(2)
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>((found, part) => (isRecord(found) ? found[part] : undefined), root);
}

function memberSchemas(schema: Schema, key: string): Schema[] {
  const { properties, patternProperties, additionalProperties } = schema;
  if (isRecord(properties) && Object.hasOwn(properties, key)) return schemasIn(properties[key]);
  const matching = Object.entries(isRecord(patternProperties) ? patternProperties : {}).filter(([pattern]) =>
    matches(pattern, key),
  );
  if (matching.length > 0) return matching.flatMap(([, patterned]) => schemasIn(patterned));
  return schemasIn(additionalProperties);
}

/** A pattern that cannot be used says nothing here: `schemaFault` does. */
function matches(pattern: string, key: string): boolean {
  try {
    return ecmaPattern(pattern).find(key) !== undefined;
  } catch (error) {
    if (error instanceof Error) return false;
    throw error;
  }
}

function schemasIn(value: unknown): Schema[] {
  return isRecord(value) ? [value] : [];
}

/** `x-telo-context` is an object schema, or a map from variable to its schema. */
function roots(context: Schema): string[] {
  return Object.keys(isRecord(context['properties']) ? context['properties'] : context);
}

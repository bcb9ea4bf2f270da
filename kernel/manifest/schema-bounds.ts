/** Our keyword in every part of a schema: what visiting it costs. */
export const COST = 'x-xmd-cost';

const NODE_LIMIT = 10_000;
const DEPTH_LIMIT = 100;
const TEXT_LIMIT = 1024 * 1024;

/** Keywords whose value is a schema or a list of schemas. */
const SCHEMAS = new Set([
  'items',
  'additionalItems',
  'additionalProperties',
  'contains',
  'propertyNames',
  'not',
  'if',
  'then',
  'else',
  'allOf',
  'anyOf',
  'oneOf',
]);
/** Keywords whose value has a schema for each name. */
const NAMED = new Set(['properties', 'patternProperties', 'definitions', '$defs', 'dependencies']);

type Members = Readonly<Record<string, unknown>>;

/** Refuses a schema that is too large or too deep to compile. Pure. @throws Error */
export function assertBounded(schema: object): void {
  const open: [unknown, number][] = [[schema, 1]];
  let nodes = 0;
  let characters = 0;
  for (let top = open.pop(); top !== undefined; top = open.pop()) {
    const [value, depth] = top;
    nodes += 1;
    if (typeof value === 'string') characters += value.length;
    if (nodes > NODE_LIMIT) throw new Error(`The schema has more than ${NODE_LIMIT} parts`);
    if (depth > DEPTH_LIMIT) throw new Error(`The schema is nested deeper than ${DEPTH_LIMIT}`);
    if (characters > TEXT_LIMIT) throw new Error(`The schema has more than ${TEXT_LIMIT} characters`);
    if (typeof value === 'object' && value !== null) {
      for (const [key, member] of Object.entries(value)) {
        characters += key.length;
        open.push([member, depth + 1]);
      }
    }
  }
}

/** A copy in which every part that can be used as a schema says what visiting it costs. Pure. */
export function costed(schema: object): object {
  const targets = targetsOf(schema);
  return isMembers(schema) ? withCost(schema) : schema;

  function withCost(part: Members): Members {
    const copy: Record<string, unknown> = {};
    for (const [key, member] of Object.entries(part)) put(copy, key, below(key, member));
    if (!Object.hasOwn(part, COST)) copy[COST] = costOf(part);
    return copy;
  }

  function below(key: string, member: unknown): unknown {
    if (SCHEMAS.has(key)) return Array.isArray(member) ? member.map(asSchema) : asSchema(member);
    if (NAMED.has(key) && isMembers(member)) return mapped(member, asSchema);
    return key === 'enum' || key === 'const' || key === 'default' || key === 'examples' ? member : elsewhere(member);
  }

  function asSchema(value: unknown): unknown {
    return isMembers(value) ? withCost(value) : value;
  }

  /** Below a keyword that is not of the language there may be schemas that a `$ref` names. */
  function elsewhere(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(elsewhere);
    if (!isMembers(value)) return value;
    return targets.has(value) ? withCost(value) : mapped(value, elsewhere);
  }
}

/** What `$ref` in the schema name, and what can be named by an id. */
function targetsOf(schema: object): Set<unknown> {
  const targets = new Set<unknown>();
  const open: unknown[] = [schema];
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (typeof value !== 'object' || value === null) continue;
    const reference: unknown = Reflect.get(value, '$ref');
    if (typeof reference === 'string') targets.add(localTarget(reference, schema));
    if (Object.hasOwn(value, '$id') || Object.hasOwn(value, '$anchor')) targets.add(value);
    for (const member of Object.values(value)) open.push(member ?? 0);
  }
  return targets;
}

function localTarget(reference: string, root: object): unknown {
  const hash = reference.indexOf('#/');
  if (hash === -1) return undefined;
  return reference
    .slice(hash + 2)
    .split('/')
    .map((part) => decoded(part).replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>(
      (found, part) =>
        typeof found === 'object' && found !== null && Object.hasOwn(found, part)
          ? Reflect.get(found, part)
          : undefined,
      root,
    );
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch (error) {
    if (error instanceof URIError) return part;
    throw error;
  }
}

/** One for the visit, what comparing with the values it states costs, and what telling choices apart does. */
function costOf(part: Members): Members {
  const compared = [part['enum'], part['const']].reduce<number>((sum, stated) => sum + comparing(stated), 0);
  const choices = [part['anyOf'], part['oneOf']].flatMap((branches) => (Array.isArray(branches) ? branches : []));
  return { fixed: 1 + Math.ceil(compared) + 2 * choices.length, unique: part['uniqueItems'] === true };
}

/** Members are compared one by one, plain values at a glance. */
function comparing(stated: unknown): number {
  if (stated === undefined) return 0;
  const items: readonly unknown[] = Array.isArray(stated) ? stated : [stated];
  return countOf(stated) / (items.some((item) => typeof item === 'object' && item !== null) ? 2 : 50);
}

function countOf(value: unknown): number {
  const open: unknown[] = [value];
  let count = 0;
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    count += 1;
    if (typeof one === 'object' && one !== null) for (const member of Object.values(one)) open.push(member ?? 0);
  }
  return count - 1;
}

function mapped(value: Members, map: (member: unknown) => unknown): Members {
  const copy: Record<string, unknown> = {};
  for (const [key, member] of Object.entries(value)) put(copy, key, map(member));
  return copy;
}

function put(target: Record<string, unknown>, key: string, value: unknown): void {
  Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
}

function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

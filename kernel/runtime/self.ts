import { isStepList } from '../check/bodies.ts';
import { walkConfiguration } from '../check/schema-walk.ts';
import { isPlainObject, plainObject, setOwn } from '../graph/plain.ts';
import type { KindDefinition } from '../kinds/kind.ts';
import { Expression } from '../manifest/tagged.ts';
import { isInstance } from './instances.ts';
import type { ResourceRecord } from './resource.ts';
import type { ModuleScope } from './scope.ts';

type Fields = Readonly<Record<string, unknown>>;

/** `self.a.b` and nothing around it: what stands there is handed on as it is, be it a live resource. */
const MEMBER = /^self(?:\.[A-Za-z_]\w*)+$/;

/** What `self` is inside a template: the configuration of its instance, with the defaults of its kind. Pure. */
export function selfOf({ definition, manifest }: ResourceRecord): Fields {
  return plainObject(withDefaults(definition.schema, manifest));
}

function withDefaults(schema: unknown, value: unknown): unknown {
  if (!isPlainObject(value) || isInstance(value)) return value;
  const filled: Record<string, unknown> = { ...value };
  for (const [name, member] of Object.entries(plainObject(plainObject(schema)['properties']))) {
    const stated = Object.hasOwn(value, name) ? value[name] : plainObject(member)['default'];
    if (stated !== undefined) setOwn(filled, name, withDefaults(member, stated));
  }
  return filled;
}

/**
 * The fields of a resource of a template, as they are for one instance: `self.member` on its own is replaced by what it
 * is, and a field that its kind does not evaluate holds the value of its expression. Everything else is evaluated when
 * its kind does. Pure; elsewhere than in a template, the fields as authored.
 *
 * @throws Error of the expression that failed
 */
export function withSelf(
  scope: ModuleScope,
  { definition, fields }: { readonly definition: KindDefinition; readonly fields: Fields },
): Fields {
  const { self } = scope;
  if (self === undefined) return fields;
  const handed = plainObject(replaced(fields, (expression) => memberOf(self, expression)));
  if (definition.capability === 'Telo.Provider') return handed;
  const values = new Map<Expression, { readonly value: unknown }>();
  walkConfiguration(definition.schema, handed, (value, place) => {
    if (isStepList(value, place) || place.schemas.some((schema) => schema['x-telo-scope'] === true)) return false;
    const slot = place.schemas.some((schema) => schema['x-telo-ref'] !== undefined);
    const later = !slot && (place.evaluation !== undefined || place.context !== undefined);
    if (value instanceof Expression && !later) values.set(value, { value: value.evaluate(scope.values) });
    return !slot || Array.isArray(value);
  });
  return values.size === 0 ? handed : plainObject(replaced(handed, (expression) => values.get(expression)));
}

type Found = { readonly value: unknown } | undefined;

/** A member that is not there stays an expression: evaluating it says what is missing. */
function memberOf(self: Fields, { source, form }: Expression): Found {
  if (form !== 'cel' || !MEMBER.test(source.trim())) return undefined;
  let value: unknown = self;
  for (const name of source.trim().split('.').slice(1)) {
    if (!isPlainObject(value) || !Object.hasOwn(value, name)) return undefined;
    value = value[name];
  }
  return { value };
}

function replaced(value: unknown, find: (expression: Expression) => Found): unknown {
  if (value instanceof Expression) {
    const found = find(value);
    return found === undefined ? value : found.value;
  }
  if (Array.isArray(value)) return value.map((item) => replaced(item, find));
  if (!isPlainObject(value) || isInstance(value)) return value;
  const result: Record<string, unknown> = {};
  for (const [key, member] of Object.entries(value)) setOwn(result, key, replaced(member, find));
  return result;
}

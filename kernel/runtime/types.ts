import { InvokeError } from '@telorun/sdk';
import { isPlainObject, setOwn } from '../graph/plain.ts';
import { Reference } from '../manifest/tagged.ts';
import { readKindRef } from './resource.ts';
import type { ResourceRecord } from './resource.ts';
import type { ModuleScope } from './scope.ts';

const TYPE_KIND = 'Telo.JsonSchema';
const TYPE_URL = /^telo:\/\/([A-Za-z_]\w*)\/([A-Za-z_]\w*)$/;

/** Shared fragments of the manifest language that a contract may name. */
const MANIFEST_FRAGMENTS: Readonly<Record<string, unknown>> = {
  'telo://manifest#/$defs/JsonSchema7': { type: ['object', 'boolean'] },
  'telo://manifest#/$defs/KindSchema': { type: 'object', required: ['type'] },
  'telo://manifest#/$defs/ResourceRef': { type: 'object', required: ['kind', 'name'] },
};

/**
 * The schema that a type means in `scope`: `!ref`, a bare name, an inline `Telo.JsonSchema`, or a raw schema. Pure.
 * Answers undefined where no type is stated.
 *
 * @throws InvokeError ERR_CONTRACT_UNRESOLVABLE
 */
export function schemaOfType(type: unknown, scope: ModuleScope): object | undefined {
  if (type === undefined || type === null) return undefined;
  if (type === true) return {};
  if (type instanceof Reference) return schemaOfRecord(scope.find(type.name, type.alias), type.text);
  if (typeof type === 'string') return schemaOfRecord(scope.find(type), type);
  const ref = readKindRef(type);
  if (ref?.kind === TYPE_KIND) return schemaOfRecord(scope.find(ref.name, ref.alias), ref.name);
  if (!isPlainObject(type)) throw unresolvable(JSON.stringify(type) ?? typeof type);
  return inlined(type['kind'] === TYPE_KIND ? type['schema'] : type, scope, []);
}

function schemaOfRecord(record: ResourceRecord | undefined, text: string): object {
  if (record === undefined || record.kind !== TYPE_KIND) throw unresolvable(text);
  return inlined(record.fields['schema'], record.scope, [record.name]);
}

function inlined(schema: unknown, scope: ModuleScope, within: readonly string[]): object {
  const result = inlineReferences(schema, scope, within);
  if (typeof result === 'object' && result !== null) return result;
  if (result === true) return {};
  throw unresolvable(JSON.stringify(schema));
}

/** Ajv cannot look into a module: what `telo://` names is put in its place. */
function inlineReferences(schema: unknown, scope: ModuleScope, within: readonly string[]): unknown {
  if (Array.isArray(schema)) return schema.map((item) => inlineReferences(item, scope, within));
  if (!isPlainObject(schema)) return schema;
  const url = schema['$ref'];
  if (typeof url === 'string' && url.startsWith('telo://')) return fragment(url, scope, within);
  const result: Record<string, unknown> = {};
  for (const [key, member] of Object.entries(schema)) setOwn(result, key, inlineReferences(member, scope, within));
  return result;
}

function fragment(url: string, scope: ModuleScope, within: readonly string[]): unknown {
  if (Object.hasOwn(MANIFEST_FRAGMENTS, url)) return MANIFEST_FRAGMENTS[url];
  const [, alias = '', name = ''] = TYPE_URL.exec(url) ?? [];
  const record = scope.find(name, alias);
  if (record === undefined || record.kind !== TYPE_KIND || within.includes(name)) throw unresolvable(url);
  return inlineReferences(record.fields['schema'], record.scope, [...within, name]);
}

const configurations = new WeakMap<object, object>();

/** A kind's schema as a live configuration can be held to it: nothing is said of reference slots. Pure. */
export function configurationSchema(schema: Readonly<Record<string, unknown>>): object {
  const known = configurations.get(schema);
  if (known !== undefined) return known;
  const made = Object.fromEntries(Object.entries(schema).map(([key, member]) => [key, withoutSlots(member)]));
  configurations.set(schema, made);
  return made;
}

function withoutSlots(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutSlots);
  if (!isPlainObject(schema)) return schema;
  const url = schema['$ref'];
  if (schema['x-telo-ref'] !== undefined || (typeof url === 'string' && url.startsWith('telo://'))) return {};
  const result: Record<string, unknown> = {};
  for (const [key, member] of Object.entries(schema)) setOwn(result, key, withoutSlots(member));
  return result;
}

function unresolvable(text: string): InvokeError {
  return new InvokeError(
    'ERR_CONTRACT_UNRESOLVABLE',
    `Cannot resolve the type "${text}": no ${TYPE_KIND} of that name is in reach`,
    {
      type: text,
      hint: 'Declare the type, or write the schema in place.',
    },
  );
}

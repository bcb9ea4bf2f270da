import type { LoadedModule } from '../manifest/model.ts';
import { isRecord } from '../manifest/record.ts';
import type { BuiltinKinds, KindLookup, KindView } from './kinds.ts';
import { exportList, isDefinition, kindLookup } from './kinds.ts';
import { APPLICATION, LIBRARY } from './root-schema.ts';

type Schema = Readonly<Record<string, unknown>>;

/** A tagged scalar, as an editor reads it: the text behind `!cel`, `!ref`, `!literal` or `!include-text`. */
const TAGGED: Schema = { type: 'string' };
const INLINE: Schema = { type: 'object', required: ['kind'] };
const METADATA: Schema = { type: 'object', required: ['name'], properties: { name: { type: 'string' } } };

/**
 * The JSON Schema of one document of a manifest, for editors: every kind under the names that this manifest gives it.
 *
 * Pure. Draft-07. Where a tagged scalar may stand, a text may.
 *
 * @see kernel-specs/manifest.md M-50
 */
export function editorSchema(module: LoadedModule, builtins: BuiltinKinds): Schema {
  const lookup = kindLookup(builtins);
  const kinds = usableKinds(module, builtins, lookup);
  const roots = { 'Telo.Application': APPLICATION, 'Telo.Library': LIBRARY };
  const documents = new Map<string, Schema>([
    ...Object.entries(roots).map(([kind, schema]): [string, Schema] => [kind, documentSchema(kind, schema)]),
    ...[...kinds].map(([kind, view]): [string, Schema] => [kind, documentSchema(kind, view.schema, view.description)]),
  ]);
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: `A document of ${module.name}`,
    type: 'object',
    required: ['kind', 'metadata'],
    properties: {
      kind: { type: 'string', enum: [...documents.keys(), 'Telo.Definition', 'Telo.Abstract', 'Telo.Import'] },
    },
    allOf: [...documents.keys()].map((kind) => ({
      if: { properties: { kind: { const: kind } } },
      // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
      then: { $ref: `#/definitions/${kind}` },
    })),
    definitions: Object.fromEntries(documents),
  };
}

/** Every kind that a document of the module can have, as it is written there. */
function usableKinds(module: LoadedModule, builtins: BuiltinKinds, lookup: KindLookup): ReadonlyMap<string, KindView> {
  const own = module.documents.filter(isDefinition).map(({ name }) => `Self.${name}`);
  const imported = [...module.imports].flatMap(([alias, { target }]) => {
    const names =
      target.kind === 'builtin'
        ? [...builtins.values()].filter((kind) => kind.module === target.module).map(({ name }) => name)
        : (exportList(target.module, 'kinds') ?? target.module.documents.filter(isDefinition).map(({ name }) => name));
    return names.map((name) => `${alias}.${name.slice(name.lastIndexOf('.') + 1)}`);
  });
  const telo = [...builtins.values()].filter((kind) => kind.module === 'Telo').map(({ name }) => `Telo.${name}`);
  return new Map(
    [...own, ...imported, ...telo].flatMap((authored) => {
      const found = lookup(module, authored);
      return found.ok && found.kind.view.abstract !== true ? [[authored, found.kind.view] as const] : [];
    }),
  );
}

function documentSchema(kind: string, schema: Schema, description?: string): Schema {
  const editable = forEditors(schema, false, `#/definitions/${kind}`);
  const properties = isRecord(editable['properties']) ? editable['properties'] : {};
  return {
    ...editable,
    ...(description === undefined ? {} : { description }),
    properties: { kind: { const: kind }, metadata: METADATA, ...properties },
  };
}

const NESTED = new Set(['properties', 'patternProperties', 'definitions', '$defs']);
const DATA = new Set(['default', 'examples', 'enum', 'const', 'required']);

/** A schema without the annotations of a kernel, in which a text may stand wherever a tagged scalar may. */
function forEditors(schema: Schema, evaluated: boolean, at: string): Schema {
  const below = evaluated || typeof schema['x-telo-eval'] === 'string' || 'x-telo-context' in schema;
  const members = Object.entries(schema).filter(([keyword]) => !keyword.startsWith('x-telo-') && keyword !== '$id');
  const plain = Object.fromEntries(
    members.flatMap(([keyword, value]): [string, unknown][] => {
      if (keyword === '$ref') return localReference(value, at);
      if (DATA.has(keyword)) return [[keyword, value]];
      if (NESTED.has(keyword) && isRecord(value)) {
        const entries = Object.entries(value).map(([name, one]) => [name, valueSchema(one, below, at)]);
        return [[keyword, Object.fromEntries(entries)]];
      }
      return [
        [
          keyword,
          Array.isArray(value) ? value.map((one) => valueSchema(one, below, at)) : valueSchema(value, below, at),
        ],
      ];
    }),
  );
  return plain;
}

function valueSchema(value: unknown, evaluated: boolean, at: string): unknown {
  if (!isRecord(value)) return value;
  const { title, description } = value;
  const told = { ...(title === undefined ? {} : { title }), ...(description === undefined ? {} : { description }) };
  if ('x-telo-ref' in value) return { ...told, anyOf: [TAGGED, INLINE] };
  const schema = forEditors(value, evaluated, at);
  const takesTagged = evaluated || typeof value['x-telo-eval'] === 'string' || 'x-telo-context' in value;
  return takesTagged && schema['type'] !== 'string' ? { ...told, anyOf: [schema, TAGGED] } : schema;
}

/** References into the kind's own schema move with it; what a kernel alone can resolve says nothing here. */
function localReference(reference: unknown, at: string): [string, unknown][] {
  return typeof reference === 'string' && reference.startsWith('#/') ? [['$ref', `${at}${reference.slice(1)}`]] : [];
}

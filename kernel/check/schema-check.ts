import type { ErrorObject } from 'ajv';
import { codeOf } from '@telorun/sdk';
import { boundedValidator } from '../manifest/ajv.ts';
import type { SchemaValidator } from '../manifest/ajv.ts';
import { isRecord, pathText } from '../manifest/record.ts';
import type { FieldPath } from '../manifest/model.ts';
import { Expression, Reference } from '../manifest/tagged.ts';
import { suggestion } from './findings.ts';

export interface SchemaProblem {
  readonly message: string;
  readonly path: FieldPath;
  /** The finding is about the key at `path`, not about its value. */
  readonly atKey: boolean;
  readonly hint: string | undefined;
}

const COMBINING = new Set(['oneOf', 'anyOf', 'allOf', 'not', 'if', 'contains', 'dependencies']);
/** What one value can be told to be wrong with; each is compared with the others to tell choices apart. */
const ERROR_LIMIT = 200;
const compiled = new WeakMap<object, SchemaValidator | string>();

/**
 * What a schema says against a configuration whose tagged scalars count as fitting everywhere, and so does what stands
 * at `opaque` paths. Pure. A schema that does not compile says nothing: `schemaFault` does.
 */
export function schemaProblems(
  schema: Readonly<Record<string, unknown>>,
  value: unknown,
  opaque: readonly FieldPath[] = [],
): SchemaProblem[] {
  const leaves: string[] = opaque.map(pointer);
  const data = withoutLeaves(value, [], leaves);
  const validate = compile(schema);
  if (typeof validate === 'string') return [];
  const found = errorsOf(validate, data);
  if (typeof found === 'string') return [{ message: found, path: [], atKey: false, hint: undefined }];
  const errors = found.slice(0, ERROR_LIMIT);
  const known = (error: ErrorObject): boolean => !leaves.some((leaf) => isWithin(error.instancePath, leaf));
  const uncertain = errors.filter((error) => !known(error)).map((error) => error.schemaPath);
  const kept = errors.filter(
    (error) =>
      known(error) && !(COMBINING.has(error.keyword) && uncertain.some((path) => isBelow(path, error.schemaPath))),
  );
  return readable(kept, uncertain.length > 0 ? errors : kept, data);
}

/** The errors, or what to say when finding them takes too long. */
function errorsOf(validate: SchemaValidator, data: unknown): readonly ErrorObject[] | string {
  try {
    return validate(data);
  } catch (error) {
    if (codeOf(error) === 'ERR_SCHEMA_LIMIT' && error instanceof Error) return error.message;
    throw error;
  }
}

/** Reports a failed choice once, with what each branch says, instead of every branch on its own. */
function readable(errors: readonly ErrorObject[], all: readonly ErrorObject[], data: unknown): SchemaProblem[] {
  const choices = all.filter(({ keyword }) => keyword === 'oneOf' || keyword === 'anyOf');
  return errors
    .filter((error) => !choices.some((choice) => choice !== error && isBelow(error.schemaPath, choice.schemaPath)))
    .filter(({ keyword }) => keyword !== 'if')
    .map((error) => {
      const branches = errors.filter((other) => other !== error && isBelow(other.schemaPath, error.schemaPath));
      return describe(error, branches, data);
    });
}

function describe(error: ErrorObject, branches: readonly ErrorObject[], data: unknown): SchemaProblem {
  const path = pathOf(error.instancePath, data);
  const where = path.length === 0 ? 'The configuration' : `'${pathText(path)}'`;
  const member: unknown = error.params['additionalProperty'] ?? error.params['propertyName'];
  if ((error.keyword === 'additionalProperties' || error.keyword === 'propertyNames') && typeof member === 'string') {
    const message = `Unknown field '${member}'`;
    return { message, path: [...path, member], atKey: true, hint: suggestion(member, knownMembers(error)) };
  }
  if (error.keyword === 'required') {
    const missing = String(error.params['missingProperty']);
    return { message: `Missing field '${missing}'`, path, atKey: false, hint: undefined };
  }
  if (error.keyword === 'enum') {
    const allowed = JSON.stringify(error.params['allowedValues']).slice(1, -1).replaceAll(',', ', ');
    return { message: `${where} must be one of ${allowed}`, path, atKey: false, hint: undefined };
  }
  if (error.keyword === 'const') {
    const message = `${where} must be ${JSON.stringify(error.params['allowedValue'])}`;
    return { message, path, atKey: false, hint: undefined };
  }
  if ((error.keyword === 'oneOf' || error.keyword === 'anyOf') && branches.length > 0) {
    const reasons = [...new Set(branches.map((branch) => describe(branch, [], data).message))];
    return {
      message: `${where} fits none of its forms: ${reasons.join('; or ')}`,
      path,
      atKey: false,
      hint: undefined,
    };
  }
  return { message: `${where} ${error.message ?? 'is not admitted'}`, path, atKey: false, hint: undefined };
}

/** The members that the schema at fault lists; Ajv hands it over in verbose mode as `parentSchema`. */
function knownMembers({ parentSchema }: ErrorObject): string[] {
  const properties = parentSchema?.['properties'];
  return isRecord(properties) ? Object.keys(properties) : [];
}

/** Why a schema cannot be used, or undefined. Pure. */
export function schemaFault(schema: Readonly<Record<string, unknown>>): string | undefined {
  const made = compile(schema);
  return typeof made === 'string' ? made : undefined;
}

function compile(schema: Readonly<Record<string, unknown>>): SchemaValidator | string {
  const known = compiled.get(schema);
  if (known !== undefined) return known;
  const made = tryCompile(withoutManifestReferences(schema));
  compiled.set(schema, made);
  return made;
}

function tryCompile(schema: unknown): SchemaValidator | string {
  try {
    return boundedValidator(isRecord(schema) ? schema : {});
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** The manifest language's own fragments, and types of modules, are checked by the readers that know them. */
function withoutManifestReferences(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutManifestReferences);
  if (!isRecord(schema)) return schema;
  const reference = schema['$ref'];
  if (typeof reference === 'string' && reference.startsWith('telo://')) return {};
  return Object.fromEntries(Object.entries(schema).map(([key, member]) => [key, withoutManifestReferences(member)]));
}

/** A distinct text for each leaf, so that no two of them count as the same item. */
function withoutLeaves(value: unknown, path: FieldPath, leaves: string[]): unknown {
  if (value instanceof Expression || value instanceof Reference) {
    leaves.push(pointer(path));
    return `tagged ${leaves.length}`;
  }
  if (Array.isArray(value)) return value.map((item, index) => withoutLeaves(item, [...path, index], leaves));
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, withoutLeaves(member, [...path, key], leaves)]),
  );
}

function pointer(path: FieldPath): string {
  return path.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

function isWithin(path: string, ancestor: string): boolean {
  return path === ancestor || path.startsWith(`${ancestor}/`);
}

function isBelow(path: string, ancestor: string): boolean {
  return path.startsWith(`${ancestor}/`);
}

function pathOf(instancePath: string, data: unknown): FieldPath {
  const parts = instancePath.split('/').slice(1);
  let value = data;
  return parts.map((part) => {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~');
    const isItem = Array.isArray(value);
    value = typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;
    return isItem ? Number(key) : key;
  });
}

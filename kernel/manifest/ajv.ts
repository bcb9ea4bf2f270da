import { createRequire } from 'node:module';
import type { Ajv, ErrorObject, ValidateFunction } from 'ajv';
import { InvokeError } from '@telorun/sdk';
import { assertBounded, costed, COST } from './schema-bounds.ts';
import { checked, schemaPattern, visit } from './schema-budget.ts';

/** What a schema says against a value; nothing when it fits. May fill in defaults, when compiled so. */
export type SchemaValidator = (value: unknown) => readonly ErrorObject[];

interface Options {
  /** Writes the schema's defaults into the value. */
  readonly defaults: boolean;
}

let plain: Ajv | undefined;
let filling: Ajv | undefined;
const compiled = new WeakMap<object, SchemaValidator>();
const compiledFilling = new WeakMap<object, SchemaValidator>();

/**
 * Compiles a draft-07 schema, once for each schema object, so that neither compiling it nor holding any value to it can
 * take long: its size and depth are bounded, its patterns run on the matcher that cannot be made to hang, and a check
 * has a budget, in which loops of `$ref`, large `enum` and `uniqueItems` are paid for. Formats are not checked.
 *
 * @throws Error when it is no schema, or is beyond a bound; the validator throws InvokeError ERR_SCHEMA_LIMIT when a
 * value takes more than its budget.
 * @see kernel-specs/manifest.md
 */
export function boundedValidator(schema: object, { defaults }: Options = { defaults: false }): SchemaValidator {
  const cache = defaults ? compiledFilling : compiled;
  const known = cache.get(schema);
  if (known !== undefined) return known;
  assertBounded(schema);
  const copy = costed(schema);
  const engine = defaults ? (filling ??= engineWith(true)) : (plain ??= engineWith(false));
  const validate = compile(engine, copy);
  const made: SchemaValidator = (value) => checked(() => (validate(value) ? [] : (validate.errors ?? [])), tooDeep);
  cache.set(schema, made);
  return made;
}

/** The engine would keep every schema, and refuse another one of the same id; what it compiled does not need it to. */
function compile(engine: Ajv, schema: object): ValidateFunction {
  try {
    return engine.compile(schema);
  } finally {
    engine.removeSchema(schema);
  }
}

function tooDeep(cause: unknown): Error {
  const data = { limit: 'depth', hint: 'Give a value that is nested less deep.' };
  return new InvokeError('ERR_SCHEMA_LIMIT', 'A value is nested too deep for its schema', data, { cause });
}

/** Loaded at the first use: many manifests are read without it, and its import is a good part of a cold start. */
function engineWith(useDefaults: boolean): Ajv {
  const loaded: typeof import('ajv') = createRequire(import.meta.url)('ajv');
  const engine = new loaded.Ajv({
    strict: false,
    allErrors: true,
    verbose: true,
    logger: false,
    validateFormats: false,
    useDefaults,
    inlineRefs: 50,
    code: { regExp: Object.assign(schemaPattern, { code: 'schemaPattern' }) },
  });
  engine.addKeyword({
    keyword: COST,
    schemaType: 'object',
    before: '$ref',
    errors: false,
    compile: (cost: unknown) => (value: unknown) => visit(cost, value),
  });
  return engine;
}

import { boundedValidator } from './ajv.ts';

/** Keywords that `coerce` has seen to already, or that say nothing of the value. */
const SETTLED = new Set(['type', 'title', 'description', 'examples']);

type Coerced = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly problem: string };

/** What a text means under a declared type. The text itself never enters a problem: it may be a secret. Pure. */
export function coerce(text: string, type: unknown): Coerced {
  switch (type) {
    case 'integer':
      return /^-?\d+$/.test(text) && Number.isSafeInteger(Number(text))
        ? { ok: true, value: Number(text) }
        : { ok: false, problem: 'is not an integer' };
    case 'number': {
      const value = Number(text);
      return text.trim() !== '' && Number.isFinite(value)
        ? { ok: true, value }
        : { ok: false, problem: 'is not a number' };
    }
    case 'boolean':
      return text === 'true' || text === 'false'
        ? { ok: true, value: text === 'true' }
        : { ok: false, problem: 'must be true or false' };
    case 'object':
    case 'array':
      return parsed(text, type);
    default:
      return { ok: true, value: text };
  }
}

function parsed(text: string, type: 'object' | 'array'): Coerced {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return { ok: false, problem: 'is not JSON' };
    throw error;
  }
  const fits =
    type === 'array' ? Array.isArray(value) : typeof value === 'object' && value !== null && !Array.isArray(value);
  return fits ? { ok: true, value } : { ok: false, problem: `is not a JSON ${type}` };
}

/** Why `value` does not fit `schema`, or undefined. A secret's value and its allowed values are not repeated. Pure. */
export function schemaProblem(
  value: unknown,
  schema: Readonly<Record<string, unknown>>,
  secret: boolean,
): string | undefined {
  if (isPlainType(value, schema['type']) && Object.keys(schema).every((keyword) => SETTLED.has(keyword)))
    return undefined;
  const errors = boundedValidator(schema)(value);
  if (errors.length === 0) return undefined;
  if (secret) return 'does not fit its schema';
  return errors.map((error) => `${error.instancePath} ${error.message ?? ''}`.trim()).join(', ');
}

function isPlainType(value: unknown, type: unknown): boolean {
  return type === undefined || type === typeof value || (type === 'integer' && Number.isInteger(value));
}

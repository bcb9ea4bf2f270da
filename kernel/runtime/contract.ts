import { codeOf, InvokeError } from '@telorun/sdk';
import type { InvokeContext, ResourceInstance } from '@telorun/sdk';
import { isPlainObject, setOwn } from '../graph/plain.ts';
import { isInstance } from './instances.ts';
import type { ResourceRecord } from './resource.ts';
import { checkSchema } from './schemas.ts';
import type { SchemaCheck } from './schemas.ts';

/** The schemas a resource's calls are held to. The resource's own types win over those of its kind. */
export interface Contract {
  readonly input: object | undefined;
  readonly output: object | undefined;
}

/**
 * Puts the contract around `invoke`, on the instance itself, so that no way of calling goes past it.
 *
 * Effect: replaces `instance.invoke`. Inputs are copied and filled with defaults; an output declared `integer` becomes
 * a BigInt. Schemas are compiled at the first call.
 */
export function bindContract(record: ResourceRecord, instance: ResourceInstance, contract: Contract): void {
  const { input, output } = contract;
  const original = instance.invoke?.bind(instance);
  if (original === undefined || (input === undefined && output === undefined)) return;
  instance.invoke = async (inputs: unknown, ctx?: InvokeContext): Promise<unknown> => {
    const checked = input === undefined ? inputs : admit(record, input, inputs);
    const result = await original(checked, ctx);
    return output === undefined ? result : settle(record, output, result);
  };
}

function admit(record: ResourceRecord, schema: object, inputs: unknown): unknown {
  const { value, problems } = check(record, schema, inputs === undefined ? {} : inputs, true);
  if (problems.length === 0) return value;
  throw new InvokeError('ERR_INPUT_INVALID', `Cannot invoke ${record.kind} "${record.name}": ${problems.join('; ')}`, {
    resource: record.name,
    problems,
    hint: 'Give the inputs that its inputType admits.',
  });
}

function settle(record: ResourceRecord, schema: object, result: unknown): unknown {
  const { problems } = check(record, schema, result, false);
  if (problems.length === 0) return withIntegers(schema, result);
  throw new InvokeError(
    'ERR_OUTPUT_INVALID',
    `Cannot accept the result of ${record.kind} "${record.name}": ${problems.join('; ')}`,
    {
      resource: record.name,
      problems,
      hint: 'Return what its outputType promises, or correct the outputType.',
    },
  );
}

function check(record: ResourceRecord, schema: object, value: unknown, defaults: boolean): SchemaCheck {
  try {
    return checkSchema(schema, value, { defaults });
  } catch (error) {
    if (codeOf(error) === 'ERR_SCHEMA_LIMIT') throw error;
    const message = error instanceof Error ? error.message : String(error);
    const data = { resource: record.name, hint: 'Correct the schema.' };
    throw new InvokeError(
      'ERR_CONTRACT_UNRESOLVABLE',
      `Cannot compile a contract of "${record.name}": ${message}`,
      data,
      { cause: error },
    );
  }
}

/** Leaves declared `integer` become BigInt, BigInt leaves declared `number` become doubles where nothing is lost. Pure. */
function withIntegers(schema: unknown, value: unknown): unknown {
  if (!isPlainObject(schema)) return value;
  const declared = schema['type'];
  if (typeof value === 'number') return declared === 'integer' && Number.isInteger(value) ? BigInt(value) : value;
  if (typeof value === 'bigint')
    return declared === 'number' && BigInt(Number(value)) === value ? Number(value) : value;
  if (Array.isArray(value)) {
    const { items } = schema;
    return items === undefined
      ? value
      : value.map((item, index) => withIntegers(Array.isArray(items) ? items[index] : items, item));
  }
  return isPlainObject(value) && !isInstance(value) ? membersWithIntegers(schema, value) : value;
}

function membersWithIntegers(schema: Readonly<Record<string, unknown>>, value: Record<string, unknown>): unknown {
  const properties = isPlainObject(schema['properties']) ? schema['properties'] : {};
  const rest = schema['additionalProperties'];
  const result: Record<string, unknown> = {};
  for (const [key, member] of Object.entries(value)) {
    setOwn(result, key, withIntegers(Object.hasOwn(properties, key) ? properties[key] : rest, member));
  }
  const branches = Array.isArray(schema['allOf']) ? schema['allOf'] : [];
  return branches.reduce<unknown>((settled, branch) => withIntegers(branch, settled), result);
}

import { describe, expect, it } from 'vitest';
import { compileCel } from '../../../../kernel/cel/expression.ts';
import { schemaFault, schemaProblems } from '../../../../kernel/check/schema-check.ts';

const cel = compileCel('1', { file: '/m', line: 1, column: 1 });
const messages = (schema: Record<string, unknown>, value: unknown): string[] =>
  schemaProblems(schema, value).map(({ path, message }) => `${path.join('.')}: ${message}`);

describe('M-20 configurations with expressions in them', () => {
  it('M-20 an expression fits whatever its place wants, and what is beside it is still checked', () => {
    const schema = {
      type: 'object',
      required: ['n'],
      properties: {
        n: { type: 'integer', minimum: 1 },
        list: { type: 'array', uniqueItems: true, items: { type: 'string' } },
      },
    };
    expect(messages(schema, { n: cel, list: [cel, cel] })).toEqual([]);
    expect(messages(schema, { list: [cel, 1] })).toEqual([": Missing field 'n'", "list.1: 'list[1]' must be string"]);
  });

  it('M-20 a choice that an expression decides counts as fitting, another is one finding with its reasons', () => {
    const schema = {
      type: 'object',
      oneOf: [
        { required: ['for'], properties: { for: { type: 'string' } } },
        { required: ['until'], properties: { until: { type: 'number' } } },
      ],
    };
    expect(messages(schema, { for: cel })).toEqual([]);
    expect(messages(schema, {})).toEqual([
      ": The configuration fits none of its forms: Missing field 'for'; or Missing field 'until'",
    ]);
  });

  it('M-20 an unknown field is named with the nearest known one', () => {
    const schema = { type: 'object', additionalProperties: false, properties: { timeout: {}, retry: {} } };
    expect(schemaProblems(schema, { timeuot: 1 })).toEqual([
      { message: "Unknown field 'timeuot'", path: ['timeuot'], atKey: true, hint: "Did you mean 'timeout'?" },
    ]);
    expect(messages(schema, { timeout: 1 })).toEqual([]);
  });

  it('M-20 a schema that cannot be used is a fault of its own, and says nothing of a value', () => {
    expect(schemaFault({ type: 'objct' })).toContain('type');
    expect(messages({ type: 'objct' }, 1)).toEqual([]);
    expect(schemaFault({ $ref: 'telo://Self/Thing' })).toBeUndefined();
  });
});

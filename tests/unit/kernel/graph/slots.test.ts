import { expect, it } from 'vitest';
import { compileSlots, referenceSlots } from '../../../../kernel/graph/slots.ts';

const REF = { 'x-telo-ref': { kind: 'Telo.Executable', use: 'call' } };

function paths(schema: unknown, value: unknown): readonly string[] {
  return referenceSlots(schema, value).map(({ path }) => path.join('.'));
}

it('RT-13 finds reference slots: direct, in arrays, in maps', () => {
  const schema = {
    properties: {
      profile: REF,
      operations: { type: 'array', items: { properties: { invoke: REF } } },
      targets: { additionalProperties: REF },
    },
  };
  const value = { profile: 1, operations: [{ invoke: 1 }, { name: 'x' }], targets: { a: 1, b: 2 } };
  expect(paths(schema, value)).toEqual(['profile', 'operations.0.invoke', 'targets.a', 'targets.b']);
});

it('RT-13 does not follow a $ref', () => {
  const schema = { $defs: { Step: REF }, properties: { one: { $ref: '#/$defs/Step' }, two: REF } };
  expect(paths(schema, { one: 1, two: 2 })).toEqual(['two']);
});

it('RT-13 finds a slot once, though two branches declare it', () => {
  expect(paths({ anyOf: [{ properties: { a: REF } }, { properties: { a: REF } }] }, { a: 1 })).toEqual(['a']);
});

it('RT-14 finds what is evaluated before create, with its schema', () => {
  const slot = { type: 'string', 'x-telo-eval': 'compile' };
  const found = compileSlots(
    { properties: { directory: slot, text: { 'x-telo-eval': 'runtime' } } },
    { directory: 'a', text: 'b' },
  );
  expect(found.map(({ path, schema }) => ({ path, schema }))).toEqual([{ path: ['directory'], schema: slot }]);
});

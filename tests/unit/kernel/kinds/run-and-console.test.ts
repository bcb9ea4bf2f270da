import { expect, it } from 'vitest';
import { printable, styled } from '../../../../kernel/kinds/console/markup.ts';
import { sameData } from '../../../../kernel/kinds/assert/compare.ts';
import { boot, header } from '../runtime/support/application.ts';

const KINDS = `${header('[]')}---
kind: Run.Sequence
metadata: { name: outputs }
inputType: { type: object, properties: { n: { type: integer, default: 2 } } }
steps:
  - { name: double, invoke: { kind: Run.Value, value: !cel inputs.n + inputs.n }, inputs: { n: !cel inputs.n } }
outputs: { twice: !cel steps.double.result, given: !cel inputs.n }
---
kind: Run.Sequence
metadata: { name: raw }
steps:
  - { name: a, value: 1 }
  - { name: b, value: !cel steps.a.result + 1.0 }
---
kind: Run.Value
metadata: { name: bound }
bindings:
  base: !cel inputs.n * 2.0
  more: !cel base + 1.0
  unused: !cel inputs.missing
value: { sum: !cel base + more }
---
kind: Run.Value
metadata: { name: circle }
bindings: { a: !cel b, b: !cel a }
value: !cel a
`;

it('RK-01 answers the outputs of a sequence, or every step by name', async () => {
  const { kernel } = await boot(KINDS);
  expect(await kernel.invoke('outputs', { n: 4n })).toEqual({ twice: 8n, given: 4n });
  expect(await kernel.invoke('raw')).toEqual({ a: { result: 1 }, b: { result: 2 } });
});

it('RK-10 RK-11 evaluates each binding once, in need, and refuses a circle of them', async () => {
  const { kernel } = await boot(KINDS);
  expect(await kernel.invoke('bound', { n: 2 })).toEqual({ sum: 9 });
  await expect(kernel.invoke('circle')).rejects.toMatchObject({ code: 'ERR_BINDING_CYCLE' });
});

it('RK-30 prints markup as text where there is no terminal, and escapes what could deceive one', async () => {
  const targets = `
  - { invoke: !ref Console.writeLine, inputs: { output: "{bold Done}: {unknown x} {}" } }
  - { invoke: !ref Console.writeLine, inputs: { output: "a\\u001b[31mb\\u202ec\\u200bd" } }
  - { invoke: !ref Console.writeLine, inputs: { output: 3 } }`;
  const { stdout } = await boot(header(targets));
  expect(stdout()).toBe('Done: {unknown x} {}\na\\u001b[31mb\\u202ec\\u200bd\n3\n');
  expect(styled('{bold Done}', true)).toBe('\u001b[1mDone\u001b[0m');
  expect(printable('line\n\ttab\r')).toBe('line\n\ttab\\u000d');
});

it('RK-30 answers the text as it was given', async () => {
  const { kernel } = await boot(`${header('[]')}---\nkind: Console.WriteLine\nmetadata: { name: line }\n`);
  expect(await kernel.invoke('line', { output: '{bold x}' })).toBe('{bold x}');
  await expect(kernel.invoke('line', {})).rejects.toMatchObject({ code: 'ERR_INPUT_INVALID' });
});

const ASSERT = `${header('[]')}---
kind: Assert.Equals
metadata: { name: equals }
---
kind: Assert.Matches
metadata: { name: matches }
---
kind: Assert.Contains
metadata: { name: contains }
`;

it.each([
  { name: 'equals', holds: { actual: { a: [3n] }, expected: { a: [3] } }, fails: { actual: 3n, expected: 4 } },
  { name: 'equals', holds: { actual: null, expected: null }, fails: { actual: { a: 1 }, expected: { a: 1, b: 2 } } },
  {
    name: 'matches',
    holds: { actual: 'AbC', pattern: '^abc$', flags: 'i' },
    fails: { actual: 'abcd', pattern: '^abc$' },
  },
  { name: 'contains', holds: { actual: [{ n: 1n }], value: { n: 1 } }, fails: { actual: [1, 2], value: 3 } },
  { name: 'contains', holds: { actual: 'abc', value: 'b' }, fails: { actual: 'abc', value: 'x' } },
  { name: 'contains', holds: { actual: { key: 1 }, value: 'key' }, fails: { actual: { key: 1 }, value: 'toString' } },
])('RK-40 Assert.$name holds for $holds and fails for $fails', async ({ name, holds, fails }) => {
  const { kernel } = await boot(ASSERT);
  expect(await kernel.invoke(name, holds)).toBe(true);
  await expect(kernel.invoke(name, fails)).rejects.toMatchObject({ code: 'ERR_ASSERTION_FAILED' });
});

it('RK-41 says when an assertion cannot be made', async () => {
  const { kernel } = await boot(ASSERT);
  await expect(kernel.invoke('matches', { actual: 'a', pattern: '(' })).rejects.toMatchObject({
    code: 'ERR_INVALID_CONFIG',
  });
  await expect(kernel.invoke('contains', { actual: 5, value: 5 })).rejects.toMatchObject({
    code: 'ERR_INVALID_CONFIG',
  });
});

it('RK-40 compares large integers without rounding them', () => {
  expect(sameData(2n ** 60n, Number(2n ** 60n))).toBe(true);
  expect(sameData(2n ** 60n + 1n, Number(2n ** 60n))).toBe(false);
  expect(sameData(Number.NaN, Number.NaN)).toBe(true);
});

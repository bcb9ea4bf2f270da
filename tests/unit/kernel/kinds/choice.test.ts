import { expect, it } from 'vitest';
import { MemoryRun } from '../../../support/memory-handle.ts';
import { working } from './working.ts';

const DOCUMENTS = `kind: Run.Choice
metadata: { name: pick }
bindings: { half: !cel inputs.n / 2.0 }
choices:
  - { when: !cel half > 5.0, value: { size: many, half: !cel half } }
  - { when: !cel inputs.n == 3, value: three }
  - { when: !cel inputs.n > 2.0, value: !cel inputs.missing }
default: { value: !cel "'few of ' + string(half)" }
---
kind: Run.Choice
metadata: { name: strict }
choices: [{ when: !cel inputs.n, value: a }]
---
kind: Run.Choice
metadata: { name: circle }
bindings: { a: !cel b, b: !cel a }
choices: [{ when: !cel a, value: a }]
`;

it('RK-12 answers the first row that holds, evaluates none behind it, and falls to the default', async () => {
  const { kernel } = await working(DOCUMENTS);
  expect(await kernel.invoke('pick', { n: 12 })).toEqual({ size: 'many', half: 6 });
  expect(await kernel.invoke('pick', { n: 3 })).toBe('three');
  expect(await kernel.invoke('pick', { n: 1 })).toBe('few of 0.5');
  await expect(kernel.invoke('pick', { n: 4 })).rejects.toThrow('No such key: missing');
});

it('RK-13 refuses a condition that is neither true nor false, and says when no row holds', async () => {
  const { kernel } = await working(DOCUMENTS);
  await expect(kernel.invoke('strict', { n: 1 })).rejects.toMatchObject({
    code: 'ERR_INVALID_PREDICATE',
    data: { row: 0 },
  });
  await expect(kernel.invoke('strict', { n: false })).rejects.toMatchObject({ code: 'ERR_NO_MATCH' });
  expect(await kernel.invoke('strict', { n: true })).toBe('a');
  await expect(kernel.invoke('circle')).rejects.toMatchObject({ code: 'ERR_BINDING_CYCLE' });
});

it('RK-14 writes nothing of its own in a run: its answer is the record of its step', async () => {
  const { within } = await working(DOCUMENTS);
  const run = new MemoryRun();
  expect(await within(run, { kind: 'Run.Choice', name: 'pick' }, { n: 3 })).toBe('three');
  expect(run.keys()).toEqual([]);
});

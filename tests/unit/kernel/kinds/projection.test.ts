import { expect, it } from 'vitest';
import { MemoryRun } from '../../../support/memory-handle.ts';
import { items, working } from './working.ts';

const DOCUMENTS = `kind: Run.Projection
metadata: { name: each }
collection: !cel inputs.items
concurrency: !cel inputs.concurrency
steps:
  - { name: do, invoke: !ref work, inputs: { item: !cel item.n, how: !cel item.how } }
outputs: !cel '[steps.do.result, index, size(items)]'
---
kind: Run.Projection
metadata: { name: raw }
collection: !cel inputs.items
steps:
  - { name: do, invoke: !ref work, inputs: { item: !cel item.n, how: !cel item.how } }
catches:
  - { when: !cel error.code == 'ERR_NO', value: !cel error.message }
`;
const EACH = { kind: 'Run.Projection', name: 'each' };

it('RK-26 answers the outputs of every element in the order of the list, whichever ended first', async () => {
  const { kernel, work } = await working(DOCUMENTS);
  const release = work.close();
  const done = kernel.invoke('each', { ...items('wait', 'ok', 'ok'), concurrency: 2 });
  await expect.poll(() => work.calls.length).toBe(3);
  release();
  expect(await done).toEqual([
    [0, 0n, 3n],
    [1, 1n, 3n],
    [2, 2n, 3n],
  ]);
});

it('RK-26 answers the steps of every element where no outputs are stated, and a row of catches for a failure', async () => {
  const { kernel } = await working(DOCUMENTS);
  expect(await kernel.invoke('raw', items('ok', 'ok'))).toEqual([{ do: { result: 0 } }, { do: { result: 1 } }]);
  expect(await kernel.invoke('raw', items())).toEqual([]);
  expect(await kernel.invoke('raw', items('ok', 'fail'))).toBe('no 1');
});

it('RK-21 RK-26 keeps each element of a run below its index, and answers the same after the list has changed', async () => {
  const { within, work } = await working(DOCUMENTS);
  const run = new MemoryRun();
  const first = await within(run, EACH, items('ok', 'ok'));
  expect(run.keys()).toEqual([
    'steps/each/collection',
    ...[0, 1].flatMap((n) => [`steps/each/iterate[${n}]/do/inputs`, `steps/each/iterate[${n}]/do`]),
  ]);
  expect(await within(run, EACH, items('changed'))).toEqual(first);
  expect(work.calls).toEqual([0, 1]);
});

it('RK-22 RK-26 parks the branch: the others finish, and each answer stands in its place whatever the order', async () => {
  const { within, work } = await working(DOCUMENTS);
  const run = new MemoryRun();
  const inputs = { ...items('park', 'ok', 'park'), concurrency: 3 };
  await expect(within(run, EACH, inputs)).rejects.toMatchObject({ code: 'ERR_DURABLE_SUSPENDED' });
  expect(run.deliver('steps/each/iterate[2]/do', 'two')).toBe(true);
  await expect(within(run, EACH, inputs)).rejects.toMatchObject({ code: 'ERR_DURABLE_SUSPENDED' });
  expect(run.deliver('steps/each/iterate[0]/do', 'zero')).toBe(true);
  expect(await within(run, EACH, inputs)).toEqual([
    ['zero', 0n, 3n],
    [1, 1n, 3n],
    ['two', 2n, 3n],
  ]);
  expect(work.calls).toEqual([0, 1, 2, 0]);
});

it('RK-24 RK-26 refuses what is no list, before any element', async () => {
  const { kernel, work } = await working(DOCUMENTS);
  for (const inputs of [
    { items: 'text', concurrency: 1 },
    { items: { a: 1 }, concurrency: 1 },
  ])
    await expect(kernel.invoke('each', inputs)).rejects.toMatchObject({ code: 'INVALID_COLLECTION' });
  expect(work.calls).toEqual([]);
});

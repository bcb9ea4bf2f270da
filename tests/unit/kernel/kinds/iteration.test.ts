import { deriveContext } from '@telorun/sdk';
import { expect, it } from 'vitest';
import { MemoryRun } from '../../../support/memory-handle.ts';
import { items, working } from './working.ts';

const DOCUMENTS = `kind: Run.Iteration
metadata: { name: each }
collection: !cel inputs.items
concurrency: !cel inputs.concurrency
steps:
  - { name: do, invoke: !ref work, inputs: { item: !cel item.n, how: !cel item.how, at: !cel index + 1, of: !cel size(items) } }
  - { name: after, value: !cel steps.do.result }
---
kind: Run.Iteration
metadata: { name: guarded }
collection: !cel inputs.items
steps:
  - { name: do, invoke: !ref work, inputs: { item: !cel item.n, how: !cel item.how } }
catches:
  - { when: !cel error.code == 'ERR_OTHER', value: other }
  - { value: !cel error.code + ' at ' + inputs.name }
`;

const EACH = { kind: 'Run.Iteration', name: 'each' };

async function opened() {
  const { kernel, work, within } = await working(DOCUMENTS);
  return { kernel, work, within: (run: MemoryRun, inputs: unknown) => within(run, EACH, inputs) };
}

const ELEMENT = ['do/inputs', 'do', 'after'];

function elementKeys(...indices: readonly number[]): string[] {
  return indices.flatMap((index) => ELEMENT.map((key) => `steps/each/iterate[${index}]/${key}`));
}

it('RK-20 does the steps for every element in order and answers nothing', async () => {
  const { kernel, work } = await opened();
  expect(await kernel.invoke('each', items('ok', 'ok', 'ok'))).toBeUndefined();
  expect(work.calls).toEqual([0, 1, 2]);
});

it('RK-21 records the collection and each element under its own index, and repeats nothing', async () => {
  const { work, within } = await opened();
  const run = new MemoryRun();
  await within(run, items('ok', 'ok', 'ok'));
  expect(run.keys()).toEqual(['steps/each/collection', ...elementKeys(0, 1, 2)]);
  expect([0, 1, 2].map((n) => run.value(`steps/each/iterate[${n}]/do`))).toEqual([0, 1, 2]);
  await within(run, items('changed'));
  expect(work.calls).toEqual([0, 1, 2]);
});

it('RK-22 parks the branch: siblings finish first, and the answered branch goes on alone', async () => {
  const { work, within } = await opened();
  const run = new MemoryRun();
  await expect(within(run, items('ok', 'park', 'ok'))).rejects.toMatchObject({ code: 'ERR_DURABLE_SUSPENDED' });
  expect(work.calls).toEqual([0, 1, 2]);
  expect(run.deliver('steps/each/iterate[1]/do', 'answer')).toBe(true);
  await within(run, items());
  expect(work.calls).toEqual([0, 1, 2]);
  expect(run.value('steps/each/iterate[1]/after')).toBe('answer');
});

it('RK-22 lets a failure win over a park, and starts no further element after it', async () => {
  const { work, within } = await opened();
  await expect(within(new MemoryRun(), items('park', 'fail', 'ok'))).rejects.toMatchObject({ code: 'ERR_NO' });
  expect(work.calls).toEqual([0, 1]);
});

it('RK-22 lets running siblings of a failure finish', async () => {
  const { work, within } = await opened();
  const release = work.close();
  const run = new MemoryRun();
  const done = within(run, { ...items('wait', 'fail', 'ok'), concurrency: 2 });
  await expect.poll(() => work.calls.length).toBe(2);
  release();
  await expect(done).rejects.toMatchObject({ code: 'ERR_NO' });
  expect(work.calls).toEqual([0, 1]);
  expect(run.value('steps/each/iterate[0]/do')).toBe(0);
});

it('RK-23 works on as many elements at once as it says', async () => {
  const { kernel, work } = await opened();
  const release = work.close();
  const done = kernel.invoke('each', { ...items('wait', 'wait', 'wait'), concurrency: 2n });
  await expect.poll(() => work.calls.length).toBe(2);
  expect(work.calls).toEqual([0, 1]);
  release();
  await done;
  expect(work.calls).toEqual([0, 1, 2]);
});

it('RK-24 refuses what is no list and no whole number from 1, before any element', async () => {
  const { kernel, work } = await opened();
  await expect(kernel.invoke('each', { items: 5, concurrency: 1 })).rejects.toMatchObject({
    code: 'INVALID_COLLECTION',
  });
  await expect(kernel.invoke('each', { ...items('ok'), concurrency: 0 })).rejects.toMatchObject({
    code: 'INVALID_CONCURRENCY',
  });
  expect(work.calls).toEqual([]);
  await kernel.invoke('each', items('ok'));
  expect(work.calls).toEqual([0]);
});

it('RK-25 answers a failure with the first row of catches that matches, never a park', async () => {
  const { kernel, work } = await opened();
  expect(await kernel.invoke('guarded', { ...items('fail'), name: 'here' })).toBe('ERR_NO at here');
  const context = deriveContext(work.ctx.rootContext(), { durable: new MemoryRun().open(), durablePath: 'steps/g' });
  const parked = work.ctx.invoke('Run.Iteration', 'guarded', items('park'), { ctx: context });
  await expect(parked).rejects.toMatchObject({ code: 'ERR_DURABLE_SUSPENDED' });
});

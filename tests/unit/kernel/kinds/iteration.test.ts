import { deriveContext } from '@telorun/sdk';
import type { ResourceContext } from '@telorun/sdk';
import { expect, it } from 'vitest';
import { MemoryRun } from '../../../support/memory-handle.ts';
import { folderWith, header, open } from '../runtime/support/application.ts';

/** A library whose one kind counts its calls, waits for its gate, and fails or parks as it is told. */
const LIBRARY = `kind: Telo.Library
metadata: { name: Lib, version: 0.1.0 }
exports: { kinds: [Work] }
---
kind: Telo.Definition
metadata: { name: Work, description: Does what its inputs say. }
capability: Telo.Invocable
controllers: [ "pkg:telo/local/js?path=./work.mjs#Work" ]
schema: { type: object, additionalProperties: false, properties: {} }
`;

const BUNDLE = `export const Work = { create: (_resource, ctx) => {
  const calls = [];
  let gate = Promise.resolve();
  return { ctx, calls, close: () => { let open; gate = new Promise((resolve) => (open = resolve)); return open; },
    invoke: async ({ item, how }, context) => {
      calls.push(item);
      if (how === 'wait') await gate;
      if (how === 'fail') throw Object.assign(new Error('no ' + item), { code: 'ERR_NO', [Symbol.for('telo.InvokeError')]: true });
      if (how === 'park') await context.durable.park({ path: context.durablePath, resource: 'work' }, { token: 't' + item });
      return item;
    } };
} };
`;

const MANIFEST = `${header('[]').replace('imports:', 'imports:\n  Lib: ./lib')}---
kind: Lib.Work
metadata: { name: work }
---
kind: Run.Iteration
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

interface Work {
  readonly ctx: ResourceContext;
  readonly calls: readonly number[];
  readonly close: () => () => void;
}

function isWork(value: object): value is Work {
  return 'calls' in value && 'ctx' in value;
}

async function opened() {
  const { kernel } = await open(
    folderWith({ 'telo.yaml': MANIFEST, 'lib/telo.yaml': LIBRARY, 'lib/work.mjs': BUNDLE }),
  );
  const work = kernel.instance('work');
  if (!isWork(work)) throw new Error('the probe is not there');
  const within = (run: MemoryRun, inputs: unknown): Promise<unknown> => {
    const context = deriveContext(work.ctx.rootContext(), { durable: run.open(), durablePath: 'steps/each' });
    return work.ctx.invoke('Run.Iteration', 'each', inputs, { ctx: context });
  };
  return { kernel, work, within };
}

function items(...hows: readonly string[]): { items: unknown; concurrency: number } {
  return { items: hows.map((how, n) => ({ n, how })), concurrency: 1 };
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

import { expect, it } from 'vitest';
import { MemoryRun } from '../../../support/memory-handle.ts';
import { World } from '../../../acceptance/xmd/real-kernel.ts';
import { working } from './working.ts';

const DOCUMENTS = `kind: Run.Detach
metadata: { name: begin }
invoke: !ref work
---
kind: Run.Sequence
metadata: { name: main }
steps:
  - { name: begun, invoke: !ref begin, inputs: { item: !cel inputs.item, how: !cel inputs.how } }
`;

it('RK-15 answers at once, and the application is not idle until the work is done', async () => {
  const { kernel, work } = await working(DOCUMENTS);
  const release = work.close();
  expect(await kernel.invoke('begin', { item: 1, how: 'wait' })).toEqual({ detached: true });
  await expect.poll(() => work.calls).toEqual([1]);
  let idle = false;
  const settled = kernel.idle().then(() => (idle = true));
  await new Promise((resolve) => setImmediate(resolve));
  expect(idle).toBe(false);
  release();
  await settled;
});

it('RK-15 logs a failure of the work and tells nobody else', async () => {
  const { kernel, stderr } = await working(DOCUMENTS);
  expect(await kernel.invoke('main', { item: 1, how: 'fail' })).toEqual({ begun: { result: { detached: true } } });
  await kernel.idle();
  expect(stderr()).toContain('background.task.error');
  expect(stderr()).toContain('no 1');
});

it('RK-16 refuses in a durable run, and begins nothing', async () => {
  const { kernel, work, within } = await working(DOCUMENTS);
  const run = new MemoryRun();
  await expect(within(run, { kind: 'Run.Detach', name: 'begin' }, { item: 1 })).rejects.toMatchObject({
    code: 'DURABLE_DETACH_FORBIDDEN',
  });
  await kernel.idle();
  expect([work.calls, run.keys()]).toEqual([[], []]);
  await kernel.invoke('begin', { item: 1 });
  await kernel.idle();
  expect(work.calls).toEqual([1]);
});

it('RK-16 is found by the check through a sequence, at the slot, before anything is booted', async () => {
  const documents = (invoked: string) => `kind: Shop.Call
metadata: { name: call }
---
kind: Run.Detach
metadata: { name: begin }
invoke: !ref call
---
kind: Run.Sequence
metadata: { name: through }
steps: [{ name: a, invoke: !ref ${invoked} }]
---
kind: DurableLocal.Workflow
metadata: { name: flow }
journal: !ref runs
steps: [{ name: all, invoke: !ref through }]
`;
  const world = new World(documents('begin'));
  expect(await world.check()).toEqual(['21 DURABLE_DETACH_FORBIDDEN']);
  await expect(world.process()).rejects.toMatchObject({ code: 'ERR_MANIFEST_VALIDATION_FAILED' });
  expect(await new World(documents('call')).check()).toEqual([]);
});

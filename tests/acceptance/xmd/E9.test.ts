import { describe, expect, it } from 'vitest';
import { resource } from '../../support/fake-context.ts';
import { MemoryRun } from '../../support/memory-handle.ts';
import { evaluating, FLOW, World } from './real-kernel.ts';
import { Scene } from './scene.ts';

const TEXT = '<Gate /><Ask to="x" />';

/** A gate to wait at, and an operation behind it whose target and revision are stated here. */
function documents(target: string, revision = '1', more = ''): string {
  return `
kind: Durable.Await
metadata: { name: gate }
---
kind: Shop.Call
metadata: { name: one }
answer: from one
---
kind: Shop.Call
metadata: { name: two }
answer: from two
---
${evaluating(`  - { name: Gate, form: self-closing, grant: read, revision: '1', invoke: !ref gate }
  - { name: Ask, form: self-closing, grant: read, revision: '${revision}', invoke: !ref ${target}, props: { type: object } }
${more}`)}${FLOW}`;
}

/** Parks the run at the gate in one process, and goes on in another one after `change`. */
async function continued(change: (world: World) => void) {
  const world = new World(documents('one'));
  const first = await world.process();
  expect(await first.run('r', { text: TEXT })).toMatchObject({ status: 'parked' });
  await first.kernel.close();
  change(world);
  const second = await world.process();
  await second.workflow.journal.answer({ run: 'r' }, 'go');
  return { world, second, end: await second.workflow.execute('r') };
}

describe('E9 the identity of an operation of the host', () => {
  it('E9 HO-02 is origin, key and revision, on record and in Preflight, and holds no path', async () => {
    const { world, second, end } = await continued(() => undefined);

    expect(end).toMatchObject({ status: 'completed' });
    expect(world.calls).toMatchObject([{ name: 'one', path: 'steps/apply/xmd[1]/Ask' }]);
    const identity = { kind: 'host', origin: 'App', key: 'Shop.Call/one', revision: '1' };
    expect(await second.value('r', 'steps/apply/generated_xmd')).toMatchObject({
      policy: { allowed: expect.arrayContaining([{ name: 'Ask', identity, forms: ['self-closing'] }]) },
    });
    const entries = await second.workflow.journal.readEntries('r');
    expect(JSON.stringify(entries)).not.toContain(world.folder);
    expect(entries.find(({ path }) => path === 'steps/apply/xmd[1]/Ask')?.target).toMatchObject({
      kind: 'Shop.Call',
      name: 'one',
    });
  });

  it('E9 the origin of a target in a library is the name of that library, whatever its alias', async () => {
    const world = new World(documents('Shop.branch'));
    const process = await world.process();
    await process.run('r', { text: TEXT });

    expect(await process.value('r', 'steps/apply/generated_xmd')).toMatchObject({
      policy: {
        allowed: expect.arrayContaining([
          expect.objectContaining({
            identity: { kind: 'host', origin: 'Shop', key: 'Shop.Call/branch', revision: '1' },
          }),
        ]),
      },
    });
  });

  it.each([
    ['another target', documents('two')],
    ['a target of the same kind in another module', documents('Shop.branch')],
    ['another revision', documents('one', '2')],
    [
      'one operation more',
      documents('one', '1', "  - { name: Tell, form: self-closing, grant: read, revision: '1', invoke: !ref two }\n"),
    ],
  ])('E9 %s refuses before either runs, and the run goes on once it is back', async (_name, changed) => {
    const { world, second, end } = await continued((at) => at.write(changed));
    expect(end).toMatchObject({ status: 'running', problem: { code: 'ERR_XMD_POLICY_CHANGED' } });
    expect(world.calls).toEqual([]);
    expect(await second.keys('r')).not.toContain('steps/apply/xmd[1]/Ask/begun');
    await second.kernel.close();

    world.write(documents('one'));
    const third = await world.process();
    expect(await third.workflow.execute('r')).toMatchObject({ status: 'completed' });
    expect(world.calls).toMatchObject([{ name: 'one' }]);
  });
});

describe('E9 a registration ends with its profile', () => {
  it('E9 after a kernel has closed nothing of it can be called, while one that was made anew calls its own', async () => {
    const world = new World(documents('one'));
    const first = await world.process();
    await first.evaluate('<Ask />');
    expect(world.calls).toHaveLength(1);
    const kept = first.kernel.instancesOfKind('Xmd.Evaluate')[0]?.instance;
    await first.kernel.close();

    const second = await world.process();
    await expect(kept?.invoke?.({ text: '<Ask />' })).rejects.toMatchObject({ code: 'ERR_XMD_PROFILE' });
    await expect(kept?.invoke?.({ text: '<File path="a.md" />' })).rejects.toMatchObject({ code: 'ERR_XMD_PROFILE' });
    expect(world.calls).toHaveLength(1);
    await second.evaluate('<Ask />');
    expect(world.calls).toHaveLength(2);
  });

  it('E9 a kernel that closes while an evaluation waits for its call calls nothing more', async () => {
    const world = new World(documents('one'));
    const first = await world.process();
    expect(await first.run('r', { text: TEXT })).toMatchObject({ status: 'parked' });
    const { workflow } = first;
    await workflow.journal.answer({ run: 'r' }, 'go');
    await first.kernel.close();
    await expect(workflow.execute('r').then(({ status }) => status)).rejects.toBeDefined();
    expect(world.calls).toEqual([]);

    expect(await (await world.process()).workflow.execute('r')).toMatchObject({ status: 'completed' });
    expect(world.calls).toMatchObject([{ name: 'one' }]);
  });

  it('E9 what is under way when the profile is torn down calls nothing more, and the run can go on', async () => {
    const calls: string[] = [];
    const invoke = (name: string) => ({ kind: 'T.K', name });
    const declared = (name: string, target: string) => ({
      name,
      form: 'self-closing',
      grant: 'read',
      revision: '1',
      invoke: invoke(target),
    });
    let torn = (): unknown => undefined;
    const scene = new Scene({
      profile: { operations: [declared('First', 'first'), declared('Second', 'second')] },
      targets: {
        first: resource('T.K', 'first', () => {
          calls.push('first');
          return torn();
        }),
        second: resource('T.K', 'second', () => calls.push('second')),
      },
    });
    const run = new MemoryRun();
    const process = scene.process();
    torn = () => process.profile.teardown?.();

    await expect(process.evaluateIn(run.open(), { text: '<First /><Second />' })).rejects.toMatchObject({
      code: 'ERR_XMD_PROFILE',
      data: { reason: 'revoked', resumable: true },
    });
    expect(calls).toEqual(['first']);
    expect(run.keys()).toEqual([
      'steps/apply/generated_xmd',
      'steps/apply/xmd[0]/First/begun',
      'steps/apply/xmd[0]/First',
    ]);
    torn = () => undefined;
    await scene.process().evaluateIn(run.open(), { text: '<First /><Second />' });
    expect(calls).toEqual(['first', 'second']);
  });
});

import { InvokeError, parkRun } from '@telorun/sdk';
import { describe, expect, it, vi } from 'vitest';
import { durableContext, resource } from '../../support/fake-context.ts';
import { MemoryRun } from '../../support/memory-handle.ts';
import { Scene, suspended, waiting } from './scene.ts';

vi.mock('../../../controllers/xmd/providers/host-files.ts', async (original) =>
  (await import('./counting-files.ts')).counting(await original()),
);

const APPROVE = {
  name: 'Approve',
  form: 'self-closing',
  grant: 'read',
  revision: '1',
  invoke: { kind: 'Durable.Await', name: 'approval' },
  props: { type: 'object', properties: { to: { type: 'string' } }, additionalProperties: false },
};
const TEXT = '<File path="a.md" /> <Approve to="x" /> <File path="b.md">B</File>';

function scene(started: string[] = [], target = waiting('approval', started)): Scene {
  return new Scene({
    files: { 'a.md': 'a' },
    allow: ['read', 'write'],
    profile: { operations: [APPROVE] },
    targets: { approval: target },
  });
}

describe('an effect that waits', () => {
  it('R1 parks at its own path, performs nothing behind it, and its answer is its value', async () => {
    const started: string[] = [];
    const at = scene(started);
    const run = new MemoryRun();

    await suspended(at.process().evaluateIn(run.open(), { text: TEXT }));
    expect(run.waits).toMatchObject([{ path: 'steps/apply/xmd[1]/Approve', resource: 'approval' }]);
    expect(run.keys()).toEqual(['steps/apply/generated_xmd', 'steps/apply/xmd[0]/File']);
    expect(at.get('b.md')).toBeUndefined();

    run.deliver('steps/apply/xmd[1]/Approve', { decision: 'publish', failed: false });
    const result = await at.process().evaluateIn(run.open(), { text: TEXT });

    expect(result).toEqual({
      observations: [
        { name: 'File', value: 'a' },
        { name: 'Approve', value: { decision: 'publish', failed: false } },
      ],
      output: 'a  ',
    });
    expect(started).toEqual(['steps/apply/xmd[1]/Approve']);
    expect(at.calls).toEqual(['read a.md', 'write b.md']);
  });

  it.each([
    { outcome: 'failed', effect: 'x', code: 'ERR_NO', message: 'no', data: null },
    { error: { code: 'ERR_NO' } },
    null,
    'text that renders',
    { $bigint: 'five' },
    { $bigint: '5' },
    { list: [{ $$bigint: '5' }] },
  ])('EV-32 an answer that looks like something else is the answer: %j', async (answer) => {
    const at = scene();
    const run = new MemoryRun();
    await suspended(at.process().evaluateIn(run.open(), { text: '<Approve />' }));
    run.deliver('steps/apply/xmd[0]/Approve', answer);

    const first = await at.process().evaluateIn(run.open(), { text: '<Approve />' });
    const again = await at.process().evaluateIn(run.open(), { text: '<Approve />' });

    expect(first).toEqual({
      observations: [{ name: 'Approve', value: answer }],
      output: typeof answer === 'string' ? answer : '',
    });
    expect(again).toEqual(first);
  });

  it('R1 several waits in one fragment are answered one after another', async () => {
    const at = scene();
    const run = new MemoryRun();
    const text = '<Approve /><Approve />';
    for (const index of [0, 1]) {
      await suspended(at.process().evaluateIn(run.open(), { text }));
      run.deliver(`steps/apply/xmd[${index}]/Approve`, index);
    }

    await expect(at.process().evaluateIn(run.open(), { text })).resolves.toMatchObject({
      observations: [{ value: 0 }, { value: 1 }],
    });
  });

  it('S4 a suspension is not recorded as a failure, and the same execution does not enter again', async () => {
    const at = scene();
    const run = new MemoryRun();
    const process = at.process();
    const handle = run.open();
    await suspended(process.evaluateIn(handle, { text: TEXT }));

    await expect(process.evaluateIn(handle, { text: TEXT })).rejects.toMatchObject({
      code: 'ERR_XMD_OCCURRENCE_BUSY',
      data: { state: 'suspended' },
    });
    await expect(process.evaluateIn(handle, { text: 'x' }, { path: 'steps/other' })).resolves.toBeDefined();
    expect(run.keys()).not.toContain('steps/apply/generated_xmd/outcome');
  });

  it('EV-38 a target that swallows its own suspension has neither its value nor an outcome recorded', async () => {
    const swallowing = resource('Durable.Await', 'approval', async (_inputs, context) => {
      const { durable, durablePath } = context ?? {};
      if (durable === undefined || durablePath === undefined) throw new Error('outside a run');
      return parkRun(durable, { path: `${durablePath}/inner`, resource: 'inner' }, {}).catch(() => 'swallowed');
    });
    const at = scene([], swallowing);
    const run = new MemoryRun();

    await expect(at.process().evaluateIn(run.open(), { text: TEXT })).rejects.toMatchObject({
      code: 'ERR_DURABLE_SUSPENSION_SWALLOWED',
    });
    expect(run.keys()).toEqual(['steps/apply/generated_xmd', 'steps/apply/xmd[0]/File']);
    expect(at.get('b.md')).toBeUndefined();
  });

  it('EV-06 props and content reach the target as the profile states its inputs', async () => {
    const seen: unknown[] = [];
    const at = new Scene({
      profile: {
        operations: [
          { ...APPROVE, name: 'Plain' },
          { ...APPROVE, name: 'Note', form: 'paired', inputs: { said: ({ content }: { content: string }) => content } },
          { ...APPROVE, name: 'Paired', form: 'paired' },
        ],
      },
      targets: { approval: resource('Durable.Await', 'approval', (inputs) => seen.push(inputs)) },
    });

    await at.process().evaluate({ text: '<Plain to="x" /><Note to="y">a `b` c</Note><Paired>t</Paired>' });

    expect(seen).toEqual([{ to: 'x' }, { said: 'a `b` c' }, { content: 't' }]);
  });
});

describe('regions that journal nothing', () => {
  const zones = {
    idempotent: { idempotent: 'running it again changes nothing' },
    atomic: { atomic: 'all or nothing', noSuspend: 'a transaction stays open' },
  };

  it('EV-45 in a collapsed region only the dispatched operation keeps its step', async () => {
    const at = scene(
      [],
      resource('Durable.Await', 'approval', () => 'called'),
    );
    const run = new MemoryRun();
    const process = at.process({ zones });

    const result = await process.ctx.withZone(
      'idempotent',
      (context) => process.evaluate({ text: TEXT }, context),
      durableContext(run.open(), 'steps/apply'),
    );

    expect(result).toMatchObject({ output: 'a called ' });
    expect(run.keys()).toEqual(['steps/apply/xmd[1]/Approve']);
    expect(run.zoneModes).toMatchObject([{ attribute: 'idempotent', mode: 'collapsed' }]);
    expect(at.calls).toEqual(['read a.md', 'write b.md']);
  });

  it('S5 an atomic region whose records join it is journaled step by step', async () => {
    const at = scene(
      [],
      resource('Durable.Await', 'approval', () => 'called'),
    );
    const run = new MemoryRun({ writesInside: () => true });
    const process = at.process({ zones });

    await process.ctx.withZone(
      'atomic',
      (context) => process.evaluate({ text: '<File path="a.md" />' }, context),
      durableContext(run.open(), 'steps/apply'),
    );

    expect(run.keys()).toEqual([
      'steps/apply/generated_xmd',
      'steps/apply/xmd[0]/File',
      'steps/apply/generated_xmd/outcome',
    ]);
  });

  it('S5 a delivery is readable in a collapsed region, and the region runs again', async () => {
    const at = scene();
    const run = new MemoryRun();
    const once = async (): Promise<unknown> => {
      const process = at.process({ zones });
      return process.ctx.withZone(
        'idempotent',
        (context) => process.evaluate({ text: TEXT }, context),
        durableContext(run.open(), 'steps/apply'),
      );
    };
    await suspended(once());
    run.deliver('steps/apply/xmd[1]/Approve', 'yes');

    await expect(once()).resolves.toMatchObject({ output: 'a yes ' });
    expect(at.calls).toEqual(['read a.md', 'read a.md', 'write b.md']);
  });

  it('E12 outside a run the same fragment has the same result, and an effect that needs a run refuses', async () => {
    const at = scene();
    const text = '<File path="a.md" />!<File path="b.md">B</File>';

    const outside = await at.process().evaluate({ text });
    const inside = await at.process().evaluateIn(new MemoryRun().open(), { text });

    expect(outside).toEqual(inside);
    await expect(at.process().evaluate({ text: TEXT })).rejects.toMatchObject({ code: 'ERR_DURABLE_NO_RUN' });
    await expect(at.process().evaluate({ text: TEXT })).rejects.toSatisfy((error) => error instanceof InvokeError);
  });
});

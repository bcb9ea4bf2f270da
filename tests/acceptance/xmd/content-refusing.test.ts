import type { ResourceInstance } from '@telorun/sdk';
import { createCancellationSource, parkRun } from '@telorun/sdk';
import { describe, expect, it, vi } from 'vitest';
import { durableContext, resource } from '../../support/fake-context.ts';
import { MemoryRun } from '../../support/memory-handle.ts';
import { APPLY, contentDocuments, contentWorld, producing, telling } from './content-scene.ts';
import { World } from './real-kernel.ts';
import { Scene, suspended } from './scene.ts';

vi.mock('../../../controllers/xmd/providers/host-files.ts', async (original) =>
  (await import('./counting-files.ts')).counting(await original()),
);

const READ = '<File path="a.md" />';
const CONTENT = [{ name: 'plan', invoke: { kind: 'T.K', name: 'producer' } }];
const KEYS = [
  'steps/apply/content/plan',
  'steps/apply/generated_xmd',
  'steps/apply/xmd[0]/File',
  'steps/apply/generated_xmd/outcome',
];

/** A producer that answers a text, and counts its calls. */
function producer(calls: unknown[], text = READ): Readonly<Record<string, ResourceInstance>> {
  return { producer: resource('T.K', 'producer', (inputs) => (calls.push(inputs), text)) };
}

describe('E2 the paired form refuses before its producer', () => {
  it.each<[string, unknown, Record<string, unknown>?]>([
    ['a text beside content', { text: 'a' }],
    ['an empty text beside content', { text: '' }],
    ['source beside content', { source: 'a' }, { profile: { host: 'workflow' } }],
    ['source in an ordinary profile', { source: 'a' }],
    ['a text of the resource beside content', {}, { text: 'a' }],
    ['program', { program: 'a' }],
    ['content in the inputs', { content: CONTENT }],
    ['an unknown input', { profile: {} }],
    ['inputs that are a list', ['a']],
    ['inputs for the steps that are a list', { inputs: ['a'] }],
    ['inputs for the steps that are a text', { inputs: 'a' }],
    ['an empty allow', { allow: [] }],
    ['an allow that is a string', { allow: 'read' }],
    ['an unknown grant', { allow: ['exec'] }],
    ['a repeated grant', { allow: ['read', 'read'] }],
    ['an allow wider than the resource', { allow: ['read', 'write'] }],
    ['a resource wider than its profile', {}, { allow: ['read', 'write'], profile: { grants: ['read'] } }],
    ['a content without steps', {}, { content: [] }],
    ['a content that is no list', {}, { content: { name: 'plan' } }],
    ['a content that is null', {}, { content: null }],
  ])('E2 EV-12 %s: no step runs, nothing is recorded, read or claimed', async (_name, inputs, changes = {}) => {
    const calls: unknown[] = [];
    const scene = new Scene({ files: { 'a.md': 'a' }, content: CONTENT, targets: producer(calls) });
    const run = new MemoryRun();
    const handle = run.open();

    await expect(scene.process(changes).evaluateIn(handle, inputs)).rejects.toMatchObject({ code: 'ERR_XMD_INPUT' });
    expect([calls, run.keys(), scene.calls]).toEqual([[], [], []]);

    // The twin, in the same execution: nothing was claimed, no attempt counted.
    await scene.process().evaluateIn(handle, {});
    expect([calls.length, run.keys()]).toEqual([1, KEYS]);
  });

  it('E2 neither a text nor content refuses; Preflight judges a text that is stated, and runs no content', async () => {
    const calls: unknown[] = [];
    const scene = new Scene({ files: { 'a.md': 'a' }, content: CONTENT, targets: producer(calls) });
    const run = new MemoryRun();

    await expect(scene.process({ content: undefined }).evaluateIn(run.open(), {})).rejects.toMatchObject({
      code: 'ERR_XMD_INPUT',
    });
    const { evaluateInstance } = scene.process();
    await expect(evaluateInstance.preflight({})).rejects.toMatchObject({
      code: 'ERR_XMD_INPUT',
      data: { reason: 'content' },
    });
    await expect(evaluateInstance.preflight({ text: READ })).resolves.toMatchObject({ admitted: true });
    expect([calls, run.keys(), scene.calls]).toEqual([[], [], []]);
  });

  it('EV-14 hands the inputs of the step to the steps, and refuses them where there is no content', async () => {
    const calls: unknown[] = [];
    const asking = ({ inputs }: { inputs: { task: string } }) => inputs.task;
    const content = [{ name: 'plan', invoke: { kind: 'T.K', name: 'producer' }, inputs: { task: asking } }];
    const scene = new Scene({ files: { 'a.md': 'a' }, targets: producer(calls) });
    const run = new MemoryRun();

    const refused = scene.process({ text: READ }).evaluateIn(run.open(), { inputs: { task: 'look' } });
    await expect(refused).rejects.toMatchObject({ code: 'ERR_XMD_INPUT', data: { reason: 'inputs' } });
    expect([calls, run.keys()]).toEqual([[], []]);
    await scene.process({ content }).evaluateIn(run.open(), { inputs: { task: 'look' } });
    expect(calls).toEqual([{ task: 'look' }]);
  });
});

const PROFILE = 'kind: Xmd.Profile\nmetadata: { name: second }\nroot: ./work\ngrants: [read, write]\n---\n';
/** Declared in the step: what the check cannot know is refused at its first call. */
const IN_PLACE = `  - name: apply
    invoke: { kind: Xmd.Evaluate, allow: [read, write], content: [{ name: plan, invoke: !ref producer }] }
`;
const inPlace = (manifest: string): string =>
  manifest.replace(/kind: Xmd\.Evaluate\n[^]*?---\n/, '').replace(APPLY, IN_PLACE);

describe('E18 E13 a profile that is none refuses before the producer', () => {
  it.each([
    ['E18 several profiles and none named', (manifest: string) => PROFILE + inPlace(manifest)],
    ['E18 no profile', (manifest: string) => inPlace(manifest).replace(/kind: Xmd\.Profile\n[^]*?---\n/, '')],
  ])('%s: no step runs, nothing is recorded', async (_name, change) => {
    const documents = contentDocuments({ evaluate: producing(), others: telling('producer', READ) });
    const world = new World(documents);
    world.write(change(documents));
    const process = await world.process();

    expect(await process.run('r')).toMatchObject({ status: 'failed', error: { code: 'ERR_XMD_PROFILE' } });
    expect([world.calls, await process.keys('r')]).toEqual([[], ['inputs']]);
    await process.kernel.close();

    world.write(documents);
    const twin = await world.process();
    expect(await twin.run('s')).toMatchObject({ status: 'completed' });
    expect(world.calls).toHaveLength(1);
  });

  it.each([
    ['E13 an operation named Evaluate', 'Evaluate'],
    ['E13 an operation named File', 'File'],
    ['E13 an operation named Plan', 'Plan'],
  ])('%s refuses the profile, and no step runs', async (_name, name) => {
    const operation = (as: string): string =>
      `  - { name: ${as}, form: self-closing, grant: read, revision: '1', invoke: !ref producer }\n`;
    const stated = { evaluate: producing(), others: telling('producer', READ) };
    const world = contentWorld({ ...stated, operations: operation(name) });

    await expect(world.process()).rejects.toThrow(/name of its own/);
    expect(world.calls).toEqual([]);
    const twin = contentWorld({ ...stated, operations: operation('Mine') });
    expect(await (await twin.process()).run('r')).toMatchObject({ status: 'completed' });
  });

  it('E18 a profile that was torn down: no step runs, nothing is recorded', async () => {
    const calls: unknown[] = [];
    const scene = new Scene({ files: { 'a.md': 'a' }, content: CONTENT, targets: producer(calls) });
    const process = scene.process();
    const run = new MemoryRun();
    await process.profile.teardown?.();

    await expect(process.evaluateIn(run.open(), {})).rejects.toMatchObject({ code: 'ERR_XMD_PROFILE' });
    expect([calls, run.keys()]).toEqual([[], []]);
    await scene.process().evaluateIn(run.open(), {});
    expect(run.keys()).toEqual(KEYS);
  });
});

describe('E18 a profile that is found wanting at its first use', () => {
  it('E18 EV-05 an operation without a live target refuses before the producer, and leaves no record', async () => {
    const calls: unknown[] = [];
    const stated = { name: 'Ask', form: 'self-closing', grant: 'read', revision: '1' };
    const asking = (name: string) => ({ operations: [{ ...stated, invoke: { kind: 'T.K', name } }] });
    const scene = new Scene({ files: { 'a.md': 'a' }, content: CONTENT, targets: producer(calls) });
    const run = new MemoryRun();

    await expect(scene.process({ profile: asking('nobody') }).evaluateIn(run.open(), {})).rejects.toThrow(
      /Cannot resolve operation "Ask"/,
    );
    expect([calls, run.keys()]).toEqual([[], []]);
    await scene.process({ profile: asking('producer') }).evaluateIn(run.open(), {});
    expect([calls.length, run.keys()]).toEqual([1, KEYS]);
  });
});

describe('E10 cancelling a producer', () => {
  it.each([
    ['gives up with an error of its own', () => Promise.reject(new Error('gave up half way')), 2],
    ['answers all the same', () => Promise.resolve(READ), 1],
  ])('E10 EV-18 one that %s: it is stopped, its end awaited, nothing admitted', async (_name, end, calls) => {
    const source = createCancellationSource();
    const order: string[] = [];
    const slow = resource('T.K', 'producer', async (_inputs, context) => {
      order.push('begun');
      if (order.length > 1) return READ;
      const stopped = new Promise<void>((done) => context?.cancellation.onCancelled(() => done()));
      source.cancel('by the test');
      await stopped;
      await new Promise((done) => setImmediate(done));
      order.push('torn down');
      return end();
    });
    const scene = new Scene({ files: { 'a.md': 'a' }, content: CONTENT, targets: { producer: slow } });
    const run = new MemoryRun();
    const context = durableContext(run.open(), 'steps/apply', { cancellation: source.token });
    const settled = scene.process().evaluate({}, context);

    await expect(settled.finally(() => order.push('settled'))).rejects.toMatchObject({ code: 'ERR_INVOKE_CANCELLED' });
    expect(order).toEqual(['begun', 'torn down', 'settled']);
    expect([run.keys().filter((key) => key.includes('generated_xmd')), scene.calls]).toEqual([[], []]);

    // The continuation passes no part of it: what has no record is made anew, then judged whole.
    await scene.process().evaluateIn(run.open(), {});
    expect([order.filter((one) => one === 'begun').length, run.keys()]).toEqual([calls, KEYS]);
  });

  it('E10 EV-18 what a host throws while it stops is told as the cancellation, and as itself when nothing was cancelled', async () => {
    const scene = new Scene({ content: CONTENT, targets: producer([]) });
    const source = createCancellationSource();
    const failing = (): ReturnType<Scene['process']> => {
      const process = scene.process();
      Object.assign(process.ctx, { withZone: () => Promise.reject(new Error('the zone broke')) });
      return process;
    };

    await expect(failing().evaluate({}, source.context)).rejects.toThrow('the zone broke');
    source.cancel('by the test');
    await expect(failing().evaluate({}, source.context)).rejects.toMatchObject({ code: 'ERR_INVOKE_CANCELLED' });
  });

  it('E10 EV-18 outside a run, too', async () => {
    const source = createCancellationSource();
    const stubborn = resource('T.K', 'producer', () => (source.cancel('by the test'), READ));
    const scene = new Scene({ files: { 'a.md': 'a' }, content: CONTENT, targets: { producer: stubborn } });

    await expect(scene.process().evaluate({}, source.context)).rejects.toMatchObject({ code: 'ERR_INVOKE_CANCELLED' });
    expect(scene.calls).toEqual([]);
  });

  it('EV-18 steps that caught the signal of a wait are refused, and nothing is admitted', async () => {
    const deaf = resource('T.K', 'producer', async (_inputs, context) => {
      const { durable, durablePath = '' } = context ?? {};
      if (durable !== undefined) {
        await parkRun(durable, { path: durablePath, resource: 'deaf' }, { token: 't' }).catch(() => undefined);
      }
      return READ;
    });
    const scene = new Scene({ files: { 'a.md': 'a' }, content: CONTENT, targets: { producer: deaf } });
    const run = new MemoryRun();

    await expect(scene.process().evaluateIn(run.open(), {})).rejects.toMatchObject({
      code: 'ERR_DURABLE_SUSPENSION_SWALLOWED',
    });
    expect([run.keys().filter((key) => key.includes('generated_xmd')), scene.calls]).toEqual([[], []]);
    const honest = { producer: resource('T.K', 'producer', async (_inputs, context) => waitAt(context)) };
    await suspended(scene.process({ targets: honest }).evaluateIn(new MemoryRun().open(), {}));
  });
});

function waitAt(context: Parameters<NonNullable<ResourceInstance['invoke']>>[1]): Promise<never> {
  const { durable, durablePath = '' } = context ?? {};
  if (durable === undefined) throw new Error('there is no run');
  return parkRun(durable, { path: durablePath, resource: 'honest' }, { token: 't' });
}

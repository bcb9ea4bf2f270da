import { expect, it } from 'vitest';
import { resource } from '../../support/fake-context.ts';
import { MemoryRun } from '../../support/memory-handle.ts';
import { evaluating, World } from './real-kernel.ts';
import { Scene, suspended, waiting } from './scene.ts';

const [LEFT, RIGHT] = ['hunter2-of-', 'the-workflow'];

/** A retried body around an evaluation whose step cannot be recorded while its reads join into the secret. */
function retried(right: string): string {
  const halves = ['Left', 'Right'].map(
    (name) =>
      `  - { name: ${name}, form: self-closing, grant: read, revision: '1', invoke: !ref ${name.toLowerCase()} }\n`,
  );
  return `
kind: Shop.Call
metadata: { name: left }
answer: '${LEFT}'
---
kind: Shop.Call
metadata: { name: right }
answer: '${right}'
---
${evaluating(halves.join(''))}---
kind: Run.Sequence
metadata: { name: body }
steps:
  - name: guarded
    try: [{ name: apply, invoke: !ref apply, inputs: { text: '<Left /><Right />' } }]
    catch: [{ name: mapped, throw: { code: ERR_MAPPED, message: not kept } }]
---
kind: DurableLocal.Workflow
metadata: { name: flow }
journal: !ref runs
steps:
  - { name: body, invoke: !ref body, retry: { attempts: 2, initialDelay: 1, jitter: none } }
`;
}

const SECRETS = `secrets: { key: { env: XMD_TEST_KEY, type: string, default: '${LEFT}${RIGHT}' } }\n`;

it('EV-20 an evaluation whose step fails on its way to the record is entered again, and calls nothing again', async () => {
  const world = new World(retried(RIGHT), { imports: SECRETS });
  const process = await world.process();

  expect(await process.run('r')).toMatchObject({ status: 'failed', error: { code: 'ERR_MAPPED' } });
  expect(world.calls.map(({ name }) => name)).toEqual(['left', 'right']);
  const keys = await process.keys('r');
  expect(keys.filter((key) => key.includes('occurrence'))).toEqual([]);
  expect(keys.filter((key) => key.endsWith('generated_xmd'))).toHaveLength(1);
  await process.kernel.close();

  const twin = new World(retried('another-half'), { imports: SECRETS });
  expect(await (await twin.process()).run('r')).toMatchObject({ status: 'completed' });
  expect(twin.calls).toHaveLength(2);
});

it('EV-38 a signal that an operation caught is noticed, though another wait was recorded before it', async () => {
  const gate = waiting('gate');
  const operation = (name: string, target: string) => ({
    name,
    form: 'self-closing',
    grant: 'read',
    revision: '1',
    invoke: { kind: 'T.K', name: target },
  });
  const scene = new Scene({
    profile: { operations: [operation('Gate', 'gate'), operation('Swallow', 'swallow'), operation('Plain', 'plain')] },
    targets: {
      gate: resource('T.K', 'gate', (inputs, context) => gate.invoke?.(inputs, context)),
      swallow: resource('T.K', 'swallow', async (inputs, context) => {
        await suspended(Promise.resolve(gate.invoke?.(inputs, context)));
        return 'as if answered';
      }),
      plain: resource('T.K', 'plain', () => 'plain'),
    },
  });
  const run = new MemoryRun();
  const [handle, process] = [run.open(), scene.process()];
  await suspended(process.evaluateIn(handle, { text: '<Gate />' }, { path: 'steps/one' }));

  await expect(process.evaluateIn(handle, { text: '<Swallow />' }, { path: 'steps/two' })).rejects.toMatchObject({
    code: 'ERR_DURABLE_SUSPENSION_SWALLOWED',
  });
  expect(run.keys()).not.toContain('steps/two/xmd[0]/Swallow');
  expect(run.keys()).not.toContain('steps/two/generated_xmd/outcome');

  await expect(process.evaluateIn(handle, { text: '<Plain />' }, { path: 'steps/three' })).resolves.toMatchObject({
    output: 'plain',
  });
});

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createCancellationSource } from '@telorun/sdk';
import { describe, expect, it } from 'vitest';
import { durableContext, resource } from '../../support/fake-context.ts';
import { MemoryRun } from '../../support/memory-handle.ts';
import { evaluating, World } from './real-kernel.ts';
import { Scene, suspended, waiting } from './scene.ts';

const OPERATIONS = `  - { name: Ask, form: self-closing, grant: read, revision: '1', invoke: !ref ask, inputs: { at: !cel effect.path } }
  - { name: Gate, form: self-closing, grant: read, revision: '1', invoke: !ref gate }
`;

/** The steps of a workflow around one Evaluate whose text is always the same. */
function flow(steps: string): string {
  return `
kind: Shop.Call
metadata: { name: ask }
---
kind: Durable.Await
metadata: { name: gate }
---
${evaluating(OPERATIONS)}---
${steps.includes('!ref each') ? `kind: Run.Iteration\nmetadata: { name: each }\n${FAN_OUT}---\n` : ''}kind: DurableLocal.Workflow
metadata: { name: flow }
journal: !ref runs
steps:
${steps}`;
}

const FAN_OUT = `collection: [1, 2, 3]
concurrency: 3
steps:
  - { name: apply, invoke: !ref apply, inputs: { text: '<Ask />' } }
`;

const TWICE = `  - { name: one, invoke: !ref apply, inputs: { text: '<Ask />' } }
  - { name: gate, invoke: !ref gate }
  - { name: two, invoke: !ref apply, inputs: { text: '<Ask />' } }
  - { name: seen, value: !cel '[steps.one.result.observations[0].value.at, steps.two.result.observations[0].value.at]' }
`;
const FANNED = `  - { name: each, invoke: !ref each }
  - { name: gate, invoke: !ref gate }
`;
const LOOPED = `  - name: again
    while: !cel "!has(steps.apply) || !steps.apply.result.observations[0].value.at.contains('[2]')"
    do:
      - { name: apply, invoke: !ref apply, inputs: { text: '<Ask />' } }
  - { name: gate, invoke: !ref gate }
`;

async function twoProcesses(
  steps: string,
): Promise<{ paths: readonly (string | null)[]; keys: readonly string[]; end: unknown }> {
  const world = new World(flow(steps));
  const first = await world.process();
  expect(await first.run('r')).toMatchObject({ status: 'parked' });
  await first.kernel.close();
  const second = await world.process();
  await second.workflow.journal.answer({ run: 'r' }, 'go');
  const end = await second.workflow.execute('r');
  return { paths: world.calls.map(({ path }) => path), keys: await second.keys('r'), end };
}

describe('E10 repeated occurrences', () => {
  it('E10 the same text at two steps, a wait between them: each has its own records, each is performed once', async () => {
    const { paths, keys, end } = await twoProcesses(TWICE);

    expect(end).toMatchObject({ status: 'completed', result: { steps: { seen: { result: paths } } } });
    expect(paths).toEqual(['steps/one/xmd[0]/Ask', 'steps/two/xmd[0]/Ask']);
    expect(keys.filter((key) => key.endsWith('generated_xmd'))).toEqual([
      'steps/one/generated_xmd',
      'steps/two/generated_xmd',
    ]);
  });

  it('E10 the same text in a fan-out: one occurrence for each element, none performed again', async () => {
    const { paths, keys, end } = await twoProcesses(FANNED);

    expect(end).toMatchObject({ status: 'completed' });
    expect(paths.toSorted()).toEqual([0, 1, 2].map((n) => `steps/each/iterate[${n}]/apply/xmd[0]/Ask`));
    expect(keys.filter((key) => key.endsWith('/begun')).toSorted()).toEqual(
      [0, 1, 2].map((n) => `steps/each/iterate[${n}]/apply/xmd[0]/Ask/begun`),
    );
  });

  it('E10 the same text in a loop: one occurrence for each turn', async () => {
    const { paths, end } = await twoProcesses(LOOPED);

    expect(end).toMatchObject({ status: 'completed' });
    expect(paths).toEqual([0, 1, 2].map((n) => `steps/again/do[${n}]/apply/xmd[0]/Ask`));
  });
});

describe('E10 a host whose fan-out hands two elements one path', () => {
  const APPLY = { kind: 'Xmd.Evaluate', name: 'apply', module: 'App' };
  const PATH = 'steps/each/apply';

  function fannedOut(target = resource('T.K', 'ask', (inputs) => inputs)) {
    const operation = { name: 'Ask', form: 'self-closing', grant: 'read', revision: '1' };
    const props = { type: 'object', properties: { n: { type: 'string' } } };
    const invoke = { kind: 'T.K', name: 'ask' };
    return new Scene({
      profile: { operations: [{ ...operation, props, invoke, inputs: (scope: { props: unknown }) => scope.props }] },
      targets: { ask: target },
    });
  }

  it('E10 refuses the second of two at once: one is admitted and performed, the other leaves no record', async () => {
    const calls: unknown[] = [];
    const process = fannedOut(resource('T.K', 'ask', (inputs) => (calls.push(inputs), inputs))).process();
    const run = new MemoryRun();
    const handle = run.open();
    const ended = await Promise.allSettled(
      ['1', '2'].map((n) =>
        handle.step(PATH, APPLY, {}, () => process.evaluateIn(handle, { text: `<Ask n="${n}" />` }, { path: PATH })),
      ),
    );

    expect(ended).toMatchObject([
      { status: 'fulfilled' },
      { status: 'rejected', reason: { code: 'ERR_XMD_OCCURRENCE_BUSY', data: { state: 'running' } } },
    ]);
    expect(calls).toHaveLength(1);
    expect(run.keys().filter((key) => key.endsWith('generated_xmd'))).toEqual([`${PATH}/generated_xmd`]);
  });

  it('E10 refuses an element that comes to a path where another one waits', async () => {
    const process = fannedOut(waiting('ask')).process();
    const run = new MemoryRun();
    const handle = run.open();
    await suspended(process.evaluateIn(handle, { text: '<Ask n="1" />' }, { path: PATH }));
    const known = run.keys().length;

    const second = process.evaluateIn(handle, { text: '<Ask n="2" />' }, { path: PATH });
    await expect(second).rejects.toMatchObject({ code: 'ERR_XMD_OCCURRENCE_BUSY', data: { state: 'suspended' } });
    expect(run.keys()).toHaveLength(known);
  });

  it('E10 never sees an element for which that table answers: the second gets what the first was given', async () => {
    const calls: unknown[] = [];
    const process = fannedOut(resource('T.K', 'ask', (inputs) => (calls.push(inputs), inputs))).process();
    const run = new MemoryRun();
    const handle = run.open();
    const results: unknown[] = [];
    for (const n of ['1', '2']) {
      const evaluate = () => process.evaluateIn(handle, { text: `<Ask n="${n}" />` }, { path: PATH });
      results.push(await handle.step(PATH, APPLY, {}, evaluate));
    }

    expect(calls).toHaveLength(1);
    expect(results[1]).toEqual(results[0]);
    // Twin: each element at a path of its own.
    for (const n of [1, 2]) {
      const path = `steps/each/iterate[${n}]/apply`;
      await handle.step(path, APPLY, {}, () => process.evaluateIn(handle, { text: '<Ask n="1" />' }, { path }));
    }
    expect(calls).toHaveLength(3);
  });
});

describe('E10 cancelling', () => {
  it('E10 stops the effect, waits for its teardown, then settles; no later effect sees a partial one', async () => {
    const source = createCancellationSource();
    const order: string[] = [];
    const scene = new Scene({
      allow: ['read', 'write'],
      profile: {
        operations: ['Slow', 'Later'].map((name) => ({
          name,
          form: 'self-closing',
          grant: 'write',
          revision: '1',
          inDoubt: 'refuse',
          invoke: { kind: 'T.K', name: name.toLowerCase() },
        })),
      },
      targets: {
        slow: resource('T.K', 'slow', async (_inputs, context) => {
          order.push('begun');
          const stopped = new Promise<void>((done) => context?.cancellation.onCancelled(() => done()));
          source.cancel('by the test');
          await stopped;
          order.push('stopped');
          await new Promise((done) => setImmediate(done));
          order.push('torn down');
          throw new Error('gave up half way');
        }),
        later: resource('T.K', 'later', () => order.push('later')),
      },
    });
    const run = new MemoryRun();
    const context = durableContext(run.open(), 'steps/apply', { cancellation: source.token });
    const settled = scene.process().evaluate({ text: '<Slow /><Later />' }, context);

    await expect(settled.finally(() => order.push('settled'))).rejects.toMatchObject({ code: 'ERR_INVOKE_CANCELLED' });
    expect(order).toEqual(['begun', 'stopped', 'torn down', 'settled']);
    expect(run.keys()).not.toContain('steps/apply/generated_xmd/outcome');
    expect(run.keys()).not.toContain('steps/apply/xmd[1]/Later/begun');

    // What was begun and has no record is in doubt: the next process waits for a person, and does not pass it.
    await suspended(scene.process().evaluateIn(run.open(), { text: '<Slow /><Later />' }));
    expect(order).toEqual(['begun', 'stopped', 'torn down', 'settled']);
    run.deliver('steps/apply/xmd[0]/Slow/doubt', { decision: 'done', value: 'whole' });
    await scene.process().evaluateIn(run.open(), { text: '<Slow /><Later />' });
    expect(order.slice(4)).toEqual(['later']);
  });

  it('E10 hears a cancellation between the files of a long fragment, also without a run', async () => {
    const scene = new Scene({ allow: ['write'] });
    const text = Array.from({ length: 900 }, (_, n) => `<File path="out/${n}.txt">${n}</File>`).join('\n');
    const source = createCancellationSource();
    const settled = scene.process().evaluate({ text }, source.context);
    setImmediate(() => source.cancel('by the test'));

    await expect(settled).rejects.toMatchObject({ code: 'ERR_INVOKE_CANCELLED' });
    const written = readdirSync(join(scene.folder, 'work', 'out')).length;
    expect(written).toBeGreaterThan(0);
    expect(written).toBeLessThan(900);

    await scene.process().evaluate({ text });
    expect(readdirSync(join(scene.folder, 'work', 'out'))).toHaveLength(900);
  });
});

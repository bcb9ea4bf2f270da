import { createCancellationSource, deriveContext, InvokeError, isSuspension, parkRun, StepEngine } from '@telorun/sdk';
import { expect, it } from 'vitest';
import { durableContext, fakeContext, resource } from '../../support/fake-context.ts';
import { MemoryRun } from '../../support/memory-handle.ts';
import { runSteps } from '../../support/run-steps.ts';

function counting(name = 'echo', answer: (inputs: unknown) => unknown = (inputs) => inputs) {
  const calls: unknown[] = [];
  const instance = resource('Test.Echo', name, (inputs) => {
    calls.push(inputs);
    return answer(inputs);
  });
  return { calls, instance };
}

/** A branch of an `if`, under the key that the grammar gives it. */
function then(body: unknown): object {
  // oxlint-disable-next-line unicorn/no-thenable -- a field of the grammar; no promise awaits it
  return { then: body };
}

function value(result: unknown): object {
  return { name: 'v', value: result };
}

function failing(): never {
  throw new InvokeError('ERR_BOOM', 'boom', { a: 1 });
}

async function failureOf(step: object): Promise<unknown> {
  return (await runSteps([{ name: 'x', ...step }])).outcome.error;
}

const echoRef = { kind: 'Test.Echo', name: 'echo' };

it('ST-10 runs an invoke step and keeps its result, without a run', async () => {
  const { instance, calls } = counting();

  const { results, ctx, outcome } = await runSteps(
    [
      { name: 'a', invoke: echoRef, inputs: { n: () => 1 } },
      {
        name: 'b',
        invoke: echoRef,
        inputs: { from: ({ steps }: { steps: { a: { result: { n: number } } } }) => steps.a.result.n },
      },
      { name: 'skipped', invoke: echoRef, when: () => 0 },
    ],
    { resources: { echo: instance } },
  );

  expect(outcome).toEqual({});
  expect(results).toEqual({ a: { result: { n: 1 } }, b: { result: { from: 1 } } });
  expect(calls).toHaveLength(2);
  expect(ctx.dispatched.map(({ path }) => path)).toEqual([undefined, undefined]);
});

it('S1 ST-11 records inputs before the dispatch and the result after it, and replays both', async () => {
  const run = new MemoryRun();
  const { instance, calls } = counting();
  let readings = 0;
  const steps = [
    { name: 'a', invoke: echoRef, when: () => true, inputs: { n: () => (readings += 1) } },
    { name: 'b', invoke: echoRef },
  ];

  const first = await runSteps(steps, { handle: run.open(), resources: { echo: instance } });
  const again = await runSteps(steps, { handle: run.open(), resources: { echo: instance } });

  expect(run.keys()).toEqual(['steps/a/when', 'steps/a/inputs', 'steps/a', 'steps/b']);
  expect(run.entries.get('steps/a')).toMatchObject({
    kind: 'step',
    target: { kind: 'Test.Echo', name: 'echo', module: 'tests' },
  });
  expect(run.entries.get('steps/a/when')).toMatchObject({ decision: 'predicate', text: 'true' });
  expect(first.ctx.dispatched).toMatchObject([
    { path: 'steps/a', attempt: 0 },
    { path: 'steps/b', attempt: 0 },
  ]);
  expect(again.results).toEqual(first.results);
  expect([calls.length, readings, again.ctx.dispatched.length]).toEqual([2, 1, 0]);
});

it('S2 ST-12 keeps a recorded when, though the reading has moved', async () => {
  const run = new MemoryRun();
  const { instance, calls } = counting();
  const resources = { echo: instance };

  await runSteps([{ name: 'a', invoke: echoRef, when: () => false }], { handle: run.open(), resources });
  await runSteps([{ name: 'a', invoke: echoRef, when: () => true }], { handle: run.open(), resources });

  expect(calls).toEqual([]);
  expect(run.keys()).toEqual(['steps/a/when']);
});

it('S2 S7 ST-13 records predicates, keys, conditions and values under structural paths', async () => {
  const run = new MemoryRun();
  let turns = 0;
  const steps = [
    {
      name: 'c',
      if: () => false,
      ...then([value(0)]),
      elseif: [
        { if: () => 0n, ...then([value(1)]) },
        { if: () => 1n, ...then([value(2)]) },
      ],
      else: [value(3)],
    },
    { name: 'd', if: () => false, ...then([value(0)]), else: [value(4)] },
    { name: 's', switch: () => 2n, cases: { 2: [value(5)] }, default: [value(6)] },
    { name: 't', switch: 'x/y', cases: { 'x/y': [value(7)] } },
    { name: 'u', switch: 'none', cases: {}, default: [value(8)] },
    { name: 'w', while: () => (turns += 1) <= 2, do: [value(9)] },
  ];

  const first = await runSteps(steps, { handle: run.open() });
  turns = 0;
  const again = await runSteps(steps, { handle: run.open() });

  expect(first.outcome).toEqual({});
  expect(run.keys()).toEqual([
    'steps/c/if',
    'steps/c/elseif[0]',
    'steps/c/elseif[1]',
    'steps/c/elseif[1]/then/v',
    'steps/d/if',
    'steps/d/else/v',
    'steps/s/switch',
    'steps/s/cases/2/v',
    'steps/t/switch',
    'steps/t/cases/x%2Fy/v',
    'steps/u/switch',
    'steps/u/default/v',
    'steps/w/while[0]',
    'steps/w/do[0]/v',
    'steps/w/while[1]',
    'steps/w/do[1]/v',
    'steps/w/while[2]',
  ]);
  expect(run.entries.get('steps/s/switch')).toMatchObject({ decision: 'switch', text: '"2"' });
  expect(run.entries.get('steps/w/while[2]')).toMatchObject({ decision: 'condition', text: 'false' });
  expect(again.results).toEqual(first.results);
  expect(turns).toBe(0);
});

it('ST-14 fails a switch without a case, a throw without a code, a value that fails, and a step without a body', async () => {
  expect(await failureOf({ switch: 'a', cases: { toString: [] } })).not.toHaveProperty('code');
  expect(await failureOf({ throw: { code: () => '' } })).toMatchObject({ code: 'INVALID_THROW_STEP' });
  expect(await failureOf({ throw: { code: 'ERR_MINE' } })).toMatchObject({ code: 'ERR_MINE', message: 'ERR_MINE' });
  expect(await failureOf({ throw: { code: 'ERR_MINE', message: () => 'm', data: { n: () => 1 } } })).toMatchObject({
    message: 'm',
    data: { n: 1 },
  });
  expect(await failureOf({ value: failing })).toMatchObject({
    code: 'ERR_BOOM',
    message: 'Step "x": boom',
    data: { step: 'x', data: { a: 1 } },
  });
  expect(await failureOf({ note: 'nothing to do' })).toHaveProperty('message', expect.stringContaining('"x"'));
  await expect(runSteps([{ value: 1 }])).rejects.toMatchObject({ code: 'ERR_STEP_NAME_REQUIRED' });
});

it('S7 ST-15 gives a nested step named like a record of its parent a path of its own', async () => {
  const run = new MemoryRun();
  const outer = { name: 'outer', invoke: { kind: 'Run.Sequence', name: 'inner' }, inputs: { n: 1 }, when: () => true };
  const names = ['inputs', '_inputs', 'retry', 'when', 'plan', 'retry[0]'];
  const inner = resource('Run.Sequence', 'inner', async (_inputs, invokeCtx) => {
    const results = {};
    await new StepEngine(fakeContext(), { kind: 'Run.Sequence', resourceName: 'inner' }).executeSteps(
      names.map((name) => ({ name, value: name })),
      results,
      undefined,
      {},
      invokeCtx,
    );
    return results;
  });
  const execute = () => runSteps([outer], { handle: run.open(), resources: { inner } });

  const first = await execute();
  const again = await execute();

  expect(first.outcome).toEqual({});
  expect(run.keys()).toEqual([
    'steps/outer/when',
    'steps/outer/inputs',
    'steps/outer/_inputs',
    'steps/outer/__inputs',
    'steps/outer/_retry',
    'steps/outer/_when',
    'steps/outer/plan',
    'steps/outer/retry%5B0%5D',
    'steps/outer',
  ]);
  expect(run.value('steps/outer')).toEqual(Object.fromEntries(names.map((name) => [name, { result: name }])));
  expect(again.results).toEqual(first.results);
  const top = new MemoryRun();
  await runSteps([{ name: 'inputs', value: 1 }], { handle: top.open() });
  expect(top.keys()).toEqual(['steps/inputs']);
});

it('S7 ST-16 keeps the elements of a repetition apart by the path that their kind states', async () => {
  const run = new MemoryRun();
  const engine = new StepEngine(fakeContext(), { kind: 'Run.Iteration', resourceName: 'each' });
  const invokeCtx = durableContext(run.open(), 'steps/each');

  for (const [index, item] of ['a', 'b'].entries()) {
    await engine.executeSteps(
      [{ name: 'v', value: () => item }],
      {},
      undefined,
      {},
      invokeCtx,
      `steps/each/iterate[${index}]`,
    );
  }

  expect([run.value('steps/each/iterate[0]/v'), run.value('steps/each/iterate[1]/v')]).toEqual(['a', 'b']);
});

it('S6 ST-17 keeps integers over a resume, and a first execution sees what a replay sees', async () => {
  const run = new MemoryRun();
  const { instance } = counting('echo', () => ({ n: 2n ** 62n, at: new Date(0) }));
  const steps = [
    { name: 'a', invoke: echoRef },
    {
      name: 'b',
      value: ({ steps: seen }: { steps: { a: { result: { n: bigint; at: unknown } } } }) => ({
        n: seen.a.result.n + 1n,
        at: seen.a.result.at,
      }),
    },
  ];

  const first = await runSteps(steps, { handle: run.open(), resources: { echo: instance } });
  run.entries.delete('steps/b');
  const resumed = await runSteps(steps, { handle: run.open(), resources: { echo: instance } });

  expect(first.results['b']).toEqual({ result: { n: 2n ** 62n + 1n, at: '1970-01-01T00:00:00.000Z' } });
  expect(resumed.results).toEqual(first.results);
});

it('S6 ST-17 refuses a result that cannot be kept, with run and path', async () => {
  const run = new MemoryRun();
  const { instance } = counting('echo', () => ({ live: new Map() }));

  const { outcome } = await runSteps([{ name: 'a', invoke: echoRef }], {
    handle: run.open(),
    resources: { echo: instance },
  });

  expect(outcome.error).toMatchObject({
    code: 'ERR_DURABLE_UNJOURNALABLE_VALUE',
    data: { run: 'run-1', path: 'steps/a', valueType: 'Map', at: '.live' },
  });
});

it('S2 ST-18 replays 20,000 turns without a deep stack', async () => {
  const run = new MemoryRun();
  const turnsMax = 20_000;
  let turn = 0;
  const steps = [{ name: 'w', while: () => turn < turnsMax, do: [{ name: 'v', value: () => (turn += 1) }] }];

  const first = await runSteps(steps, { handle: run.open() });
  const again = await runSteps(steps, { handle: run.open() });

  expect(first.outcome).toEqual({});
  expect(again).toMatchObject({ outcome: {}, results: { v: { result: turnsMax } } });
  expect(run.entries.size).toBe(2 * turnsMax + 1);
  expect(turn).toBe(turnsMax);
});

it('S5 ST-19 writes nothing in a collapsed region, yet states the path', async () => {
  const run = new MemoryRun();
  const { instance } = counting();
  const ctx = fakeContext({
    kind: 'Durable.Idempotent',
    zones: { steps: { idempotent: 'safe' } },
    resources: { echo: instance },
  });
  const engine = new StepEngine(ctx, { kind: 'Durable.Idempotent', resourceName: 'region' });
  const results: Record<string, unknown> = {};

  await ctx.withZone(
    'steps',
    (invokeCtx) =>
      engine.executeSteps(
        [
          { name: 'a', invoke: echoRef, inputs: {} },
          { name: 'v', value: 1 },
        ],
        results,
        undefined,
        {},
        invokeCtx,
      ),
    durableContext(run.open(), 'steps/r', { attempt: 1 }),
  );

  expect(run.keys()).toEqual([]);
  expect(ctx.dispatched).toMatchObject([{ path: 'steps/r/a', attempt: undefined }]);
  expect(results).toEqual({ a: { result: {} }, v: { result: 1 } });
  expect(run.zoneModes).toHaveLength(1);
});

it('S3 ST-05 lets a suspension pass and starts nothing further', async () => {
  const run = new MemoryRun();
  const { instance, calls } = counting();
  const gate = resource('Test.Gate', 'gate', (_inputs, ctx) =>
    ctx?.durable === undefined
      ? undefined
      : parkRun(ctx.durable, { path: ctx.durablePath ?? '', resource: 'gate' }, { token: 't' }),
  );
  const steps = [
    { name: 'gate', invoke: { kind: 'Test.Gate', name: 'gate' }, retry: { attempts: 3, initialDelay: 0 } },
    { name: 'after', invoke: echoRef, inputs: { got: ({ steps: seen }: { steps: { gate: unknown } }) => seen.gate } },
  ];
  const resources = { echo: instance, gate };

  const parked = await runSteps(steps, { handle: run.open(), resources });
  expect(isSuspension(parked.outcome.error)).toBe(true);
  expect(calls).toEqual([]);
  run.deliver('steps/gate', { yes: true });
  const resumed = await runSteps(steps, { handle: run.open(), resources });

  expect(resumed.outcome).toEqual({});
  expect(calls).toEqual([{ got: { result: { yes: true } } }]);
});

it('ST-04 starts no step once the tree is cancelled', async () => {
  const source = createCancellationSource();
  const run = new MemoryRun();
  const { instance, calls } = counting();
  const stop = resource('Test.Stop', 'stop', () => {
    source.cancel('interrupted');
    return 'done';
  });
  const invokeCtx = deriveContext(durableContext(run.open()), { cancellation: source.token });

  const { outcome } = await runSteps(
    [
      { name: 'stop', invoke: { kind: 'Test.Stop', name: 'stop' } },
      { name: 'a', invoke: echoRef },
    ],
    {
      invokeCtx,
      resources: { stop, echo: instance },
    },
  );

  expect(outcome.error).toMatchObject({ code: 'ERR_INVOKE_CANCELLED' });
  expect(run.keys()).toEqual(['steps/stop']);
  expect(calls).toEqual([]);
});

it('ST-04 ends a loop without effects when a signal arrives', async () => {
  const source = createCancellationSource();
  setTimeout(() => source.cancel('interrupted'), 5);

  const { outcome } = await runSteps([{ name: 'w', while: () => true, do: [] }], { invokeCtx: source.context });

  expect(outcome.error).toMatchObject({ code: 'ERR_INVOKE_CANCELLED' });
});

it('ST-02 registers inline resources under names made of kind, resource, place and step', async () => {
  const inline = { kind: 'Test.Inline', setting: 1 };
  const steps = [
    { name: 'fetch', invoke: inline },
    {
      name: 'choose',
      if: () => true,
      ...then([{ name: 'deep-one', invoke: inline }]),
      else: [{ name: 'x', invoke: { kind: 'Test.Inline' } }],
    },
    { name: 'ref', invoke: echoRef },
  ];
  const { instance } = counting();

  const { ctx, results } = await runSteps(steps, { resources: { echo: instance } });

  expect(ctx.inline.map(({ name }) => name).toSorted()).toEqual([
    'SequenceMainSteps0Fetch',
    'SequenceMainSteps1Else0X',
    'SequenceMainSteps1Then0DeepOne',
  ]);
  expect(results['deep-one']).toMatchObject({ result: { inline: 'SequenceMainSteps1Then0DeepOne' } });
});

it('ST-03 dispatches live, unstamped, scoped and by-name targets', async () => {
  const run = new MemoryRun();
  const { instance } = counting('live');
  const scopedOne = counting('scoped', () => 'scoped');
  const ctx = fakeContext();
  const late = resource('Test.Late', 'late', () => 'late');
  const byName = Object.assign(ctx, { invoke: async () => late.invoke?.({}) });
  const engine = new StepEngine(byName, { kind: 'Run.Sequence', resourceName: 'main' });
  const results: Record<string, unknown> = {};

  await engine.executeSteps(
    [
      { name: 'live', invoke: instance },
      { name: 'plain', invoke: { invoke: async () => 'plain' } },
      { name: 'scoped', invoke: { kind: 'Test.Echo', name: 'scoped' } },
      { name: 'late', invoke: { kind: 'Test.Late', name: 'late' } },
    ],
    results,
    { resolve: ({ name }) => (name === 'scoped' ? scopedOne.instance : undefined) },
    {},
    durableContext(run.open()),
  );

  expect(results).toEqual({
    live: { result: {} },
    plain: { result: 'plain' },
    scoped: { result: 'scoped' },
    late: { result: 'late' },
  });
  expect(run.entries.get('steps/plain')?.target).toBeUndefined();
  expect(run.entries.get('steps/scoped')?.target).toMatchObject({
    name: 'scoped',
    scoped: true,
    scope: { owner: 'main', stepPath: 'steps/scoped' },
  });
  expect(run.entries.get('steps/late')?.target).toEqual({ kind: 'Test.Late', name: 'late' });
});

it('ST-03 refuses a reference that is none', async () => {
  expect((await runSteps([{ name: 'a', invoke: null }])).outcome.error).toMatchObject({ code: 'ERR_REF_REQUIRED' });
  expect((await runSteps([{ name: 'a', invoke: { kind: 'K', name: 'no' } }])).outcome.error).toMatchObject({
    code: 'ERR_RESOURCE_NOT_FOUND',
  });
});

import { createCancellationSource, deriveContext } from '@telorun/sdk';
import { expect, it } from 'vitest';
import { MemoryRun } from '../../../support/memory-handle.ts';
import { working } from './working.ts';

const DOCUMENTS = `kind: Run.Loop
metadata: { name: again }
condition: !cel iteration < inputs.turns
steps:
  - { name: do, invoke: !ref work, inputs: { item: !cel iteration, how: !cel "inputs.hows[iteration]" } }
  - { name: seen, value: !cel 'previous == null ? [] : [previous.do.result]' }
outputs: { turn: !cel iteration, before: !cel 'previous == null ? null : previous.do.result', seen: !cel steps.seen.result }
---
kind: Run.Loop
metadata: { name: bounded }
maxIterations: !cel inputs.max
condition: !cel 'previous == null || previous.do.result < 3'
steps:
  - { name: do, invoke: !ref work, inputs: { item: !cel iteration, how: !cel inputs.how } }
catches: [{ value: !cel error.message }]
---
kind: Run.Loop
metadata: { name: many }
maxIterations: 100000
steps: [{ name: count, value: !cel iteration }]
`;
const AGAIN = { kind: 'Run.Loop', name: 'again' };
const turns = (n: number, ...hows: readonly string[]) => ({ turns: n, hows });

it('RK-27 asks before each turn, shows the turn before, and answers the outputs of the last', async () => {
  const { kernel, work } = await working(DOCUMENTS);
  expect(await kernel.invoke('again', turns(3, 'ok', 'ok', 'ok'))).toEqual({ turn: 2n, before: 1n, seen: [1n] });
  expect(work.calls).toEqual([0n, 1n, 2n]);
  expect(await kernel.invoke('bounded', { max: 2, how: 'ok' })).toEqual({ do: { result: 1n } });
  expect(await kernel.invoke('bounded', { max: 9, how: 'ok' })).toEqual({ do: { result: 3n } });
});

it('RK-27 answers no steps where there is no turn', async () => {
  const { kernel, work } = await working(DOCUMENTS);
  expect(await kernel.invoke('bounded', { max: 0, how: 'ok' })).toEqual({});
  expect(work.calls).toEqual([]);
});

it('RK-28 refuses a limit that is no whole number from 0, and a failure is answered by catches', async () => {
  const { kernel, work } = await working(DOCUMENTS.replace('catches: [{ value: !cel error.message }]\n', ''));
  await expect(kernel.invoke('bounded', { max: 1.5, how: 'ok' })).rejects.toMatchObject({ code: 'INVALID_LOOP' });
  expect(work.calls).toEqual([]);
  await expect(kernel.invoke('bounded', { max: 2, how: 'fail' })).rejects.toMatchObject({ code: 'ERR_NO' });
  const guarded = await working(DOCUMENTS);
  expect(await guarded.kernel.invoke('bounded', { max: 2, how: 'fail' })).toBe('no 0');
});

it('RK-29 records whether there is a turn, and each turn below its number; what the condition says later does not count', async () => {
  const { within, work } = await working(DOCUMENTS);
  const run = new MemoryRun();
  const first = await within(run, AGAIN, turns(2, 'ok', 'ok'));
  const turn = (n: number) => ['do/inputs', 'do', 'seen'].map((key) => `steps/each/iterate[${n}]/${key}`);
  expect(run.keys()).toEqual([
    'steps/each/condition[0]',
    ...turn(0),
    'steps/each/condition[1]',
    ...turn(1),
    'steps/each/condition[2]',
  ]);
  expect([0, 1, 2].map((n) => run.value(`steps/each/condition[${n}]`))).toEqual([true, true, false]);
  expect(await within(run, AGAIN, turns(9))).toEqual(first);
  expect(work.calls).toEqual([0n, 1n]);
});

it('RK-29 a park in a turn resumes there: turns that are done are not repeated, a killed one from its record on', async () => {
  const { within, work } = await working(DOCUMENTS);
  const run = new MemoryRun();
  const parked = within(run, AGAIN, turns(3, 'ok', 'park', 'ok'));
  await expect(parked).rejects.toMatchObject({ code: 'ERR_DURABLE_SUSPENDED' });
  expect(run.deliver('steps/each/iterate[1]/do', 41n)).toBe(true);
  expect(await within(run, AGAIN, turns(3, 'ok', 'park', 'ok'))).toEqual({ turn: 2n, before: 41n, seen: [41n] });
  expect(work.calls).toEqual([0n, 1n, 2n]);
});

it('RK-29 performs each turn once wherever a process dies', async () => {
  const { work } = await working(DOCUMENTS);
  for (let at = 0; at < 9; at += 1) {
    const run = new MemoryRun();
    const before = work.calls.length;
    const through = (durable: ReturnType<MemoryRun['open']>): Promise<unknown> => {
      const ctx = deriveContext(work.ctx.rootContext(), { durable, durablePath: 'steps/each' });
      return work.ctx.invoke('Run.Loop', 'again', turns(2, 'ok', 'ok'), { ctx });
    };
    await expect(through(run.openKilledAt(at))).rejects.toMatchObject({ code: 'ERR_DURABLE_JOURNAL_UNAVAILABLE' });
    expect(await through(run.open())).toEqual({ turn: 1n, before: 0n, seen: [0n] });
    // Only the effect whose record was lost is performed once more: writes 2 and 6 are those of the effects.
    expect(work.calls.length - before).toBe(at === 2 || at === 6 ? 3 : 2);
  }
});

it('RK-27 lets a cancellation in between turns without effects', async () => {
  const { work } = await working(DOCUMENTS);
  const source = createCancellationSource();
  const done = work.ctx.invoke('Run.Loop', 'many', {}, { ctx: source.context });
  setImmediate(() => source.cancel('by the test'));
  await expect(done).rejects.toMatchObject({ code: 'ERR_INVOKE_CANCELLED' });
});

import {
  InvokeError,
  isSuspension,
  parkRun,
  createCancellationSource,
  deriveContext,
  type InvokeContext,
} from '@telorun/sdk';
import { expect, it } from 'vitest';
import { durableContext, resource } from '../../support/fake-context.ts';
import { MemoryRun } from '../../support/memory-handle.ts';
import { runSteps } from '../../support/run-steps.ts';

type Behaviour = (inputs: unknown, ctx: InvokeContext | undefined) => unknown;

/** A world of named resources, each counted over all executions. */
function world(behaviours: Readonly<Record<string, Behaviour>>) {
  const calls: string[] = [];
  const resources = Object.fromEntries(
    Object.entries(behaviours).map(([name, behave]) => [
      name,
      resource('Test.Do', name, (inputs, ctx) => {
        calls.push(name);
        return behave(inputs, ctx);
      }),
    ]),
  );
  return { calls, resources };
}

function call(name: string, extra: object = {}): object {
  return { name, invoke: { kind: 'Test.Do', name }, ...extra };
}

function fail(code = 'ERR_BOOM', data?: unknown): never {
  throw new InvokeError(code, `${code} happened`, data);
}

const seen = ({ error }: { error: unknown }): unknown => error;

it('ST-30 catches, shows the error to catch, and always runs finally', async () => {
  const { calls, resources } = world({
    bad: () => fail('ERR_BOOM', { n: 1 }),
    mend: () => 'ok',
    close: () => 'closed',
  });
  const steps = [
    {
      name: 't',
      try: [call('bad')],
      catch: [call('mend'), { name: 'e', value: seen }],
      finally: [call('close'), { name: 'f', value: seen }],
    },
  ];

  const { results, outcome } = await runSteps(steps, { resources });

  expect(outcome).toEqual({});
  expect(calls).toEqual(['bad', 'mend', 'close']);
  expect(results).toMatchObject({
    e: { result: { code: 'ERR_BOOM', message: 'ERR_BOOM happened', data: { n: 1 }, step: 't' } },
    f: { result: null },
  });
});

it('ST-31 shows finally what is left over, and lets a throw inside it replace the outcome', async () => {
  const { calls, resources } = world({ bad: () => fail(), worse: () => fail('ERR_WORSE'), close: () => 1 });
  const left = await runSteps(
    [{ name: 't', try: [call('bad')], finally: [{ name: 'f', value: seen }, call('close')] }],
    { resources },
  );
  const fromCatch = await runSteps(
    [{ name: 't', try: [call('bad')], catch: [call('worse')], finally: [{ name: 'f', value: seen }] }],
    { resources },
  );
  const replaced = await runSteps([{ name: 't', try: [call('bad')], finally: [call('worse')] }], { resources });

  expect(left.outcome.error).toMatchObject({ code: 'ERR_BOOM' });
  expect(left.results['f']).toMatchObject({ result: { code: 'ERR_BOOM' } });
  expect(fromCatch.outcome.error).toMatchObject({ code: 'ERR_WORSE' });
  expect(fromCatch.results['f']).toMatchObject({ result: { code: 'ERR_WORSE' } });
  expect(replaced.outcome.error).toMatchObject({ code: 'ERR_WORSE' });
  expect(calls).toEqual(['bad', 'close', 'bad', 'worse', 'bad', 'worse']);
});

it('ST-30 runs neither branch of a try whose when is false, and finally after success', async () => {
  const { calls, resources } = world({ good: () => 1, close: () => 2 });

  await runSteps([{ name: 't', when: () => false, try: [call('good')], finally: [call('close')] }], { resources });
  await runSteps([{ name: 't', when: () => true, try: [call('good')], catch: [], finally: [call('close')] }], {
    resources,
  });

  expect(calls).toEqual(['good', 'close']);
});

const guarded = [
  {
    name: 't',
    try: [call('first'), call('bad'), call('never')],
    catch: [call('mend'), call('tell')],
    finally: [call('close')],
  },
  call('after'),
];

it('S4 ST-32 goes on in the catch branch it had begun, though the cause is repaired', async () => {
  const run = new MemoryRun();
  let broken = true;
  const { calls, resources } = world({
    first: () => 1,
    bad: () => (broken ? fail() : 'repaired'),
    never: () => 0,
    mend: () => 2,
    tell: () => 3,
    close: () => 4,
    after: () => 5,
  });
  // Writes: first, catch, mend; the fourth, of tell, is lost.
  const killed = await runSteps(guarded, { handle: run.openKilledAt(3), resources });
  broken = false;

  const resumed = await runSteps(guarded, { handle: run.open(), resources });

  expect(killed.outcome.error).toMatchObject({ code: 'ERR_DURABLE_JOURNAL_UNAVAILABLE' });
  expect(resumed.outcome).toEqual({});
  expect(calls).toEqual(['first', 'bad', 'mend', 'tell', 'tell', 'close', 'after']);
  expect(run.keys()).toEqual([
    'steps/t/try/first',
    'steps/t/catch',
    'steps/t/catch/mend',
    'steps/t/catch/tell',
    'steps/t/finally/close',
    'steps/after',
  ]);
  expect(run.value('steps/t/catch')).toEqual({ code: 'ERR_BOOM', message: 'ERR_BOOM happened', step: 't' });
  expect(resumed.results).toMatchObject({ first: { result: 1 }, after: { result: 5 } });
});

function guardedWorld() {
  return world({
    first: () => 1,
    bad: () => fail(),
    never: () => 0,
    mend: () => 2,
    tell: () => 3,
    close: () => 4,
    after: () => 5,
  });
}

it('S4 ST-32 ends the same whichever write the process dies at', async () => {
  const undisturbed = new MemoryRun();
  const expected = await runSteps(guarded, { handle: undisturbed.open(), resources: guardedWorld().resources });
  const writes = undisturbed.counts.writes;

  for (let write = 0; write < writes; write += 1) {
    const run = new MemoryRun();
    const { calls, resources } = guardedWorld();
    await runSteps(guarded, { handle: run.openKilledAt(write), resources });
    const resumed = await runSteps(guarded, { handle: run.open(), resources });

    expect(resumed.results).toEqual(expected.results);
    expect(run.keys()).toEqual(undisturbed.keys());
    // Of the seven effects, only the one whose record was lost is performed once more.
    expect(calls).toHaveLength(7);
  }
  expect(writes).toBe(6);
});

it('S4 ST-33 goes on in finally with the failure that was pending', async () => {
  const run = new MemoryRun();
  let broken = true;
  const { calls, resources } = world({ bad: () => (broken ? fail() : 1), close: () => 2 });
  const steps = [{ name: 't', try: [call('bad')], finally: [call('close')] }];

  await runSteps(steps, { handle: run.openKilledAt(1), resources });
  broken = false;
  const resumed = await runSteps(steps, { handle: run.open(), resources });

  expect(resumed.outcome.error).toMatchObject({ code: 'ERR_BOOM', message: 'ERR_BOOM happened' });
  expect(calls).toEqual(['bad', 'close', 'close']);
  expect(run.keys()).toEqual(['steps/t/finally', 'steps/t/finally/close']);
});

it('S4 ST-33 goes on in finally with the failure of catch', async () => {
  const run = new MemoryRun();
  let broken = true;
  const { calls, resources } = world({
    bad: () => (broken ? fail() : 1),
    worse: () => (broken ? fail('ERR_WORSE', { f: () => 1 }) : 1),
    close: () => 2,
  });
  const steps = [
    { name: 't', try: [call('bad')], catch: [call('worse')], finally: [{ name: 'e', value: seen }, call('close')] },
  ];

  await runSteps(steps, { handle: run.openKilledAt(3), resources });
  broken = false;
  const resumed = await runSteps(steps, { handle: run.open(), resources });

  expect(resumed.outcome.error).toMatchObject({ code: 'ERR_WORSE' });
  expect(resumed.results['e']).toMatchObject({
    result: { code: 'ERR_WORSE', data: { unjournalable: { at: '.f', valueType: 'function' } } },
  });
  expect(calls).toEqual(['bad', 'worse', 'close', 'close']);
});

it('S4 ST-34 replays a try inside a try up to where each had failed', async () => {
  const run = new MemoryRun();
  let broken = true;
  const { calls, resources } = world({
    bad: () => (broken ? fail() : 1),
    mend: () => (broken ? fail('ERR_MEND') : 1),
    last: () => 3,
  });
  const steps = [
    {
      name: 'outer',
      try: [
        { name: 'v', value: 7 },
        { name: 'inner', try: [call('bad')], catch: [{ name: 'w', value: seen }, call('mend')] },
      ],
      catch: [{ name: 'e', value: seen }, call('last')],
    },
  ];

  await runSteps(steps, { handle: run.openKilledAt(5), resources });
  broken = false;
  const resumed = await runSteps(steps, { handle: run.open(), resources });

  expect(calls).toEqual(['bad', 'mend', 'last', 'last']);
  expect(resumed.results).toMatchObject({
    v: { result: 7 },
    w: { result: { code: 'ERR_BOOM', step: 'inner' } },
    e: { result: { code: 'ERR_MEND', step: 'outer' } },
  });
});

it('S4 ST-35 neither catches nor finishes a suspension, a lost claim, a journal error', async () => {
  for (const code of ['ERR_DURABLE_CLAIM_LOST', 'ERR_DURABLE_JOURNAL_LOCKED', 'ERR_INVOKE_CANCELLED']) {
    const { calls, resources } = world({ bad: () => fail(code), mend: () => 1, close: () => 1 });
    const run = new MemoryRun();
    const steps = [
      {
        name: 't',
        try: [call('bad', { retry: { attempts: 2, initialDelay: 0 } })],
        catch: [call('mend')],
        finally: [call('close')],
      },
    ];

    const { outcome } = await runSteps(steps, { handle: run.open(), resources });

    expect(outcome.error).toMatchObject({ code });
    expect(calls).toEqual(['bad']);
    expect(run.keys()).toEqual([]);
  }
});

it('R5 ST-35 runs no branch for a refusal that leaves the run resumable; mended, the body goes on', async () => {
  let mended = false;
  const refuse = () => {
    if (mended) return 'applied';
    throw new InvokeError('ERR_XMD_POLICY_CHANGED', 'changed', { resumable: true });
  };
  const { calls, resources } = world({ bad: refuse, mend: () => 1, close: () => 1 });
  const run = new MemoryRun();
  const steps = [{ name: 't', try: [call('bad')], catch: [call('mend')], finally: [call('close')] }];

  const { outcome } = await runSteps(steps, { handle: run.open(), resources });
  expect(outcome.error).toMatchObject({ code: 'ERR_XMD_POLICY_CHANGED' });
  expect(calls).toEqual(['bad']);
  expect(run.keys()).toEqual([]);

  mended = true;
  await runSteps(steps, { handle: run.open(), resources });
  expect(calls).toEqual(['bad', 'bad', 'close']);
});

it('S3 ST-35 parks inside try and goes on there', async () => {
  const run = new MemoryRun();
  const { calls, resources } = world({
    gate: (_inputs, ctx) =>
      ctx?.durable === undefined
        ? 0
        : parkRun(ctx.durable, { path: ctx.durablePath ?? '', resource: 'gate' }, { token: 't' }),
    mend: () => 1,
    close: () => 2,
  });
  const steps = [{ name: 't', try: [call('gate')], catch: [call('mend')], finally: [call('close')] }];

  const parked = await runSteps(steps, { handle: run.open(), resources });
  run.deliver('steps/t/try/gate', 'yes');
  const resumed = await runSteps(steps, { handle: run.open(), resources });

  expect(isSuspension(parked.outcome.error)).toBe(true);
  expect(resumed.results).toMatchObject({ gate: { result: 'yes' } });
  expect(calls).toEqual(['gate', 'close']);
});

it('S4 ST-35 starts no branch once the tree is cancelled, whatever the step failed with', async () => {
  const source = createCancellationSource();
  const run = new MemoryRun();
  const { calls, resources } = world({
    bad: () => {
      source.cancel('interrupted');
      return fail();
    },
    mend: () => 1,
    close: () => 2,
  });
  const steps = [{ name: 't', try: [call('bad')], catch: [call('mend')], finally: [call('close')] }];
  const invokeCtx = deriveContext(durableContext(run.open()), { cancellation: source.token });

  const { outcome } = await runSteps(steps, { invokeCtx, resources });

  expect(outcome.error).toMatchObject({
    code: 'ERR_INVOKE_CANCELLED',
    data: { step: 'bad', pendingFailure: { code: 'ERR_BOOM', message: 'ERR_BOOM happened' } },
  });
  expect(calls).toEqual(['bad']);
  expect(run.keys()).toEqual([]);
});

it('S8 ST-36 keeps what an earlier attempt had handled, and does not repeat its cleanup', async () => {
  const run = new MemoryRun();
  let broken = true;
  const { calls, resources } = world({
    card: () => (broken ? fail('ERR_DECLINED') : 'card'),
    backup: () => 'backup',
    close: () => 1,
  });
  const steps = [{ name: 'pay', try: [call('card')], catch: [call('backup')], finally: [call('close')] }];

  await runSteps(steps, { handle: run.open(), path: 'steps/x', attempt: 0, resources });
  broken = false;
  const second = await runSteps(steps, { handle: run.open(), path: 'steps/x', attempt: 1, resources });

  expect(second.outcome).toEqual({});
  expect(second.results).toMatchObject({ backup: { result: 'backup' } });
  expect(calls).toEqual(['card', 'backup', 'close']);
});

it('S8 ST-36 tries again, in branches of its own, when an earlier attempt had failed', async () => {
  const run = new MemoryRun();
  const broken = { card: true, backup: true };
  const { calls, resources } = world({
    note: () => 'noted',
    card: () => (broken.card ? fail('ERR_DECLINED') : 'card'),
    backup: () => (broken.backup ? fail('ERR_BACKUP') : 'backup'),
    close: () => 1,
  });
  const steps = [{ name: 'pay', try: [call('card')], catch: [call('note'), call('backup')], finally: [call('close')] }];
  const attempt = (number: number) =>
    runSteps(steps, { handle: run.open(), path: 'steps/x', attempt: number, resources });

  const first = await attempt(0);
  broken.backup = false;
  const second = await attempt(1);
  broken.card = false;
  const third = await attempt(2);

  expect(first.outcome.error).toMatchObject({ code: 'ERR_BACKUP' });
  expect(second.outcome).toEqual({});
  expect(third.results).toEqual(second.results);
  expect(calls).toEqual(['card', 'note', 'backup', 'close', 'card', 'note', 'backup', 'close']);
  expect(run.keys()).toEqual([
    'steps/x/pay/catch',
    'steps/x/pay/catch/note',
    'steps/x/pay/finally',
    'steps/x/pay/finally/close',
    'steps/x/pay/catch[1]',
    'steps/x/pay/catch[1]/note',
    'steps/x/pay/catch[1]/backup',
    'steps/x/pay/finally[1]/close',
  ]);
});

it('S8 ST-36 cleans up once after the first attempt that succeeds', async () => {
  const run = new MemoryRun();
  let broken = true;
  const { calls, resources } = world({ bad: () => (broken ? fail() : 1), close: () => 1 });
  const steps = [{ name: 't', try: [call('bad')], finally: [call('close')] }];
  const attempt = (number: number) =>
    runSteps(steps, { handle: run.open(), path: 'steps/x', attempt: number, resources });

  await attempt(0);
  broken = false;
  await attempt(1);
  await attempt(2);

  expect(calls).toEqual(['bad', 'close', 'bad', 'close']);
});

it('ST-38 works with a handle that does not tell what is recorded', async () => {
  const run = new MemoryRun({ withRecorded: false });
  const { calls, resources } = world({ bad: () => fail(), mend: () => 1, close: () => 1 });
  const steps = [{ name: 't', try: [call('bad')], catch: [call('mend')], finally: [call('close')] }];

  const first = await runSteps(steps, { handle: run.open(), resources });
  const again = await runSteps(steps, { handle: run.open(), resources });

  expect([first.outcome, again.outcome]).toEqual([{}, {}]);
  expect(calls).toEqual(['bad', 'mend', 'close', 'bad']);
  expect(first.ctx.dispatched[0]?.attempt).toBeUndefined();
});

it('S3 ST-32 parks inside a catch branch and goes on there, though the cause is repaired meanwhile', async () => {
  const run = new MemoryRun();
  let broken = true;
  const { calls, resources } = world({
    bad: () => (broken ? fail() : 1),
    gate: (_inputs, ctx) =>
      ctx?.durable === undefined
        ? 0
        : parkRun(ctx.durable, { path: ctx.durablePath ?? '', resource: 'gate' }, { token: 't' }),
    tell: () => 2,
  });
  const steps = [{ name: 't', try: [call('bad')], catch: [call('gate'), call('tell')] }];

  const parked = await runSteps(steps, { handle: run.open(), resources });
  broken = false;
  run.deliver('steps/t/catch/gate', 'go on');
  const resumed = await runSteps(steps, { handle: run.open(), resources });

  expect(isSuspension(parked.outcome.error)).toBe(true);
  expect(resumed.results).toEqual({ gate: { result: 'go on' }, tell: { result: 2 } });
  expect(calls).toEqual(['bad', 'gate', 'tell']);
});

import {
  createCancellationSource,
  deriveContext,
  InvokeError,
  isSuspension,
  readRetryPolicy,
  retryBackoffMs,
  StepEngine,
  type InvokeContext,
} from '@telorun/sdk';
import { expect, it } from 'vitest';
import { durableContext, fakeContext, resource } from '../../support/fake-context.ts';
import { MemoryRun } from '../../support/memory-handle.ts';
import { fixedClock, runSteps } from '../../support/run-steps.ts';

function boom(code = 'ERR_BOOM', data?: unknown): InvokeError {
  return new InvokeError(code, 'boom', data);
}

/** Fails `failures` times over all executions, then succeeds; tells the attempts it was dispatched as. */
function flaky(failures: number, error: () => unknown = boom) {
  const attempts: (number | undefined)[] = [];
  const instance = resource('Test.Flaky', 'flaky', (_inputs, ctx: InvokeContext | undefined) => {
    attempts.push(ctx?.attempt);
    if (attempts.length <= failures) throw error();
    return `after ${attempts.length}`;
  });
  return { attempts, resources: { flaky: instance } };
}

function step(retry: object, extra: object = {}) {
  return [{ name: 'x', invoke: { kind: 'Test.Flaky', name: 'flaky' }, inputs: {}, retry, ...extra }];
}

const atOnce = { attempts: 3, initialDelay: 0, jitter: 'none' };

it('S8 ST-20 sends again until an attempt succeeds, and states the attempt', async () => {
  const run = new MemoryRun();
  const { attempts, resources } = flaky(2);

  const { results } = await runSteps(step(atOnce), { handle: run.open(), clock: fixedClock(), resources });

  expect(results).toEqual({ x: { result: 'after 3' } });
  expect(attempts).toEqual([0, 1, 2]);
  expect(run.keys()).toEqual(['steps/x/inputs', 'steps/x/retry[0]', 'steps/x/retry[1]', 'steps/x']);
  expect(run.value('steps/x/retry[0]')).toBe(1_000);
});

it('S8 ST-21 gives up after the last re-send with the last failure', async () => {
  const { attempts, resources } = flaky(9);

  const { outcome } = await runSteps(step(atOnce), { resources });

  expect(outcome.error).toMatchObject({ code: 'ERR_BOOM' });
  expect(attempts).toHaveLength(4);
});

it('S8 ST-22 never repeats a recorded attempt: killed after each, counted over all processes', async () => {
  const run = new MemoryRun();
  const clock = fixedClock();
  const { attempts, resources } = flaky(3);
  const steps = step(atOnce);

  // Each execution records one pause (the first one the inputs, too) and dies at its next write.
  await runSteps(steps, { handle: run.openKilledAt(2), clock, resources });
  expect(attempts).toEqual([0, 1]);
  await runSteps(steps, { handle: run.openKilledAt(1), clock, resources });
  expect(attempts).toEqual([0, 1, 1, 2]);
  const last = await runSteps(steps, { handle: run.open(), clock, resources });

  expect(last.results).toEqual({ x: { result: 'after 5' } });
  // Attempts 1 and 2 were performed again only because their records were lost with the process.
  expect(attempts).toEqual([0, 1, 1, 2, 2]);
  expect((await runSteps(steps, { handle: run.open(), clock, resources })).results).toEqual(last.results);
  expect(attempts).toHaveLength(5);
});

it('S8 ST-22 performs one attempt a process when each dies after its pause is recorded', async () => {
  const run = new MemoryRun();
  const source = createCancellationSource();
  const { attempts, resources } = flaky(3);
  const steps = step({ attempts: 3, initialDelay: 20_000, factor: 1, jitter: 'none' });
  const clock = fixedClock();

  for (let process = 0; process < 3; process += 1) {
    const stop = createCancellationSource();
    const invokeCtx = deriveContext(durableContext(run.open()), { cancellation: stop.token });
    const running = runSteps(steps, { invokeCtx, clock, resources });
    while (run.keys().length < 2 + process) await new Promise((resolve) => setImmediate(resolve));
    stop.cancel('interrupted');
    expect((await running).outcome.error).toMatchObject({ code: 'ERR_INVOKE_CANCELLED' });
    clock.advance(20_000);
  }
  const last = await runSteps(steps, { handle: run.open(), clock, resources });

  expect(attempts).toEqual([0, 1, 2, 3]);
  expect(last.results).toEqual({ x: { result: 'after 4' } });
  expect(run.keys()).toEqual(['steps/x/inputs', 'steps/x/retry[0]', 'steps/x/retry[1]', 'steps/x/retry[2]', 'steps/x']);
  source.dispose();
});

it('S8 ST-23 parks a long backoff until it is due, and is not due earlier', async () => {
  const run = new MemoryRun();
  const clock = fixedClock(1_000);
  const { attempts, resources } = flaky(1);
  const steps = step({ attempts: 2, initialDelay: 30_000, jitter: 'none' });
  const execute = () => runSteps(steps, { handle: run.open(), clock, resources });

  const parked = await execute();
  const early = await execute();
  clock.advance(30_000);
  const due = await execute();

  expect(isSuspension(parked.outcome.error)).toBe(true);
  expect(isSuspension(early.outcome.error)).toBe(true);
  expect(run.waits).toEqual([{ path: 'steps/x/retry[0]', resource: 'flaky', at: 31_000, answered: false }]);
  expect(due.results).toEqual({ x: { result: 'after 2' } });
  expect(attempts).toEqual([0, 1]);
});

it('S8 ST-23 sleeps a short backoff, jittered over its whole length', async () => {
  const clock = fixedClock(1_000);
  const { resources } = flaky(1);
  const run = new MemoryRun();
  const steps = step({ attempts: 1, initialDelay: 20 });
  const moving = { now: () => clock.now() + Math.floor(performance.now()), random: () => 0.5 };
  const before = moving.now();

  const { results } = await runSteps(steps, { handle: run.open(), clock: moving, resources });

  expect(results).toEqual({ x: { result: 'after 2' } });
  expect(run.waits).toEqual([]);
  expect(Number(run.value('steps/x/retry[0]'))).toBeGreaterThanOrEqual(before + 10);
  expect(moving.now()).toBeGreaterThanOrEqual(Number(run.value('steps/x/retry[0]')));
});

it('S5 ST-23 refuses to park a long backoff where a zone forbids it', async () => {
  const run = new MemoryRun();
  const { attempts, resources } = flaky(1);
  const ctx = fakeContext({ kind: 'Lease.Critical', zones: { steps: { noSuspend: 'the lease lapses' } }, resources });
  const engine = new StepEngine(ctx, { kind: 'Lease.Critical', resourceName: 'main' });

  const work = ctx.withZone(
    'steps',
    (invokeCtx) =>
      engine.executeSteps(step({ attempts: 1, initialDelay: 40_000, maxDelay: 40_000 }), {}, undefined, {}, invokeCtx),
    durableContext(run.open()),
  );

  await expect(work).rejects.toMatchObject({ code: 'ERR_DURABLE_SUSPEND_FORBIDDEN', data: { zone: 'Lease.Critical' } });
  expect(attempts).toHaveLength(1);
  expect(run.keys()).toEqual(['steps/x/inputs']);
});

it.each<[string, () => unknown]>([
  ['a contract', () => boom('ERR_INPUT_INVALID')],
  ['a missing resource', () => boom('ERR_RESOURCE_NOT_FOUND')],
  ['what cannot be invoked', () => boom('ERR_RESOURCE_NOT_INVOKABLE')],
  ['a wait that timed out', () => boom('ERR_DURABLE_AWAIT_TIMEOUT')],
  ['a sleep that is none', () => boom('ERR_DURABLE_SLEEP_INVALID')],
  ['a refusal that leaves the run resumable', () => boom('ERR_XMD_POLICY_CHANGED', { resumable: true })],
  ['a code the author lists', () => boom('ERR_LISTED')],
  ['a lost claim', () => boom('ERR_DURABLE_CLAIM_LOST')],
  ['a journal error', () => boom('ERR_DURABLE_JOURNAL_FULL')],
  ['a cancellation', () => boom('ERR_INVOKE_CANCELLED')],
  ['another target', () => boom('ERR_JOURNAL_ENTRY_MISMATCH')],
  ['a result that cannot be kept', () => boom('ERR_DURABLE_UNJOURNALABLE_VALUE')],
])('S8 ST-24 does not retry %s', async (_name, error) => {
  const { attempts, resources } = flaky(9, error);

  await runSteps(step({ ...atOnce, nonRetryable: ['ERR_LISTED'] }), { resources });

  expect(attempts).toHaveLength(1);
});

it.each<[string, () => unknown]>([
  ['a coded failure', () => boom()],
  ['a plain error', () => new Error('plain')],
  ['a timeout of a step', () => boom('ERR_STEP_TIMEOUT')],
  ['data that says otherwise', () => boom('ERR_X', { resumable: false })],
])('S8 ST-24 retries %s', async (_name, error) => {
  const { attempts, resources } = flaky(9, error);

  await runSteps(step(atOnce), { resources });

  expect(attempts).toHaveLength(4);
});

it('S8 ST-25 counts attempts over enclosing retries', async () => {
  const run = new MemoryRun();
  const { attempts, resources } = flaky(4);
  const clock = fixedClock();
  const inner = resource('Run.Sequence', 'inner', async (_inputs, invokeCtx) => {
    const engine = new StepEngine(fakeContext({ resources }), { kind: 'Run.Sequence', resourceName: 'inner', clock });
    const results: Record<string, unknown> = {};
    await engine.executeSteps(
      [{ name: 'once', value: () => attempts.length }, ...step({ attempts: 1, initialDelay: 0 })],
      results,
      undefined,
      {},
      invokeCtx,
    );
    return results;
  });
  const outer = [
    { name: 'o', invoke: { kind: 'Run.Sequence', name: 'inner' }, retry: { attempts: 2, initialDelay: 0 } },
  ];

  const { results } = await runSteps(outer, { handle: run.open(), clock, resources: { inner } });

  expect(attempts).toEqual([0, 1, 2, 3, 4]);
  expect(results).toEqual({ o: { result: { once: { result: 0 }, x: { result: 'after 5' } } } });
  expect(run.keys()).toEqual([
    'steps/o/once',
    'steps/o/x/inputs',
    'steps/o/x/retry[0]',
    'steps/o/retry[0]',
    'steps/o/x/retry[2]',
    'steps/o/retry[1]',
    'steps/o/x',
    'steps/o',
  ]);
});

it('S8 ST-26 ends a pause when the tree is cancelled, and says what was pending', async () => {
  const source = createCancellationSource();
  const { attempts, resources } = flaky(9);
  const running = runSteps(step({ attempts: 1, initialDelay: 25_000, jitter: 'none' }), {
    invokeCtx: source.context,
    resources,
  });
  while (attempts.length === 0) await new Promise((resolve) => setImmediate(resolve));
  await new Promise((resolve) => setImmediate(resolve));
  source.cancel('interrupted');

  expect((await running).outcome.error).toMatchObject({
    code: 'ERR_INVOKE_CANCELLED',
    data: { step: 'x', pendingFailure: { code: 'ERR_BOOM', message: 'boom' } },
  });
});

it('ST-27 cancels an attempt at its timeout, and retries it', async () => {
  let calls = 0;
  const slow = resource('Test.Flaky', 'flaky', (_inputs, ctx) => {
    calls += 1;
    if (calls === 2) return 'fast';
    return new Promise((_resolve, reject) => {
      const alive = setInterval(() => undefined, 1_000);
      ctx?.cancellation.onCancelled(() => {
        clearInterval(alive);
        reject(calls === 1 ? boom('ERR_INVOKE_CANCELLED') : new DOMException('aborted', 'AbortError'));
      });
    });
  });
  const resources = { flaky: slow };
  const run = new MemoryRun();

  const retried = await runSteps(step({ attempts: 1, initialDelay: 0 }, { timeout: 5 }), {
    handle: run.open(),
    resources,
  });
  const alone = await runSteps(step({}, { timeout: 5n }), { resources });

  expect(retried.results).toEqual({ x: { result: 'fast' } });
  expect(alone.outcome.error).toMatchObject({ code: 'ERR_STEP_TIMEOUT', data: { step: 'x', timeout: 5 } });
});

it('ST-27 keeps the answer of work that takes no notice, and its own failure', async () => {
  const deaf = resource('Test.Flaky', 'flaky', async (_inputs, ctx) => {
    while (ctx?.cancellation.isCancelled === false) await new Promise((resolve) => setTimeout(resolve, 1));
    return 'late';
  });
  const own = resource('Test.Flaky', 'flaky', async (_inputs, ctx) => {
    while (ctx?.cancellation.isCancelled === false) await new Promise((resolve) => setTimeout(resolve, 1));
    throw boom();
  });

  expect((await runSteps(step({}, { timeout: 2 }), { resources: { flaky: deaf } })).results).toEqual({
    x: { result: 'late' },
  });
  expect((await runSteps(step({}, { timeout: 2 }), { resources: { flaky: own } })).outcome.error).toMatchObject({
    code: 'ERR_BOOM',
  });
});

it('ST-27 tells the cancellation of the tree from the timeout of a step', async () => {
  const source = createCancellationSource();
  const stopping = resource('Test.Flaky', 'flaky', async (_inputs, ctx) => {
    source.cancel('interrupted');
    ctx?.cancellation.throwIfCancelled();
  });
  const resources = { flaky: stopping };

  const { outcome } = await runSteps(step(atOnce, { timeout: 60_000 }), { invokeCtx: source.context, resources });

  expect(outcome.error).toMatchObject({ code: 'ERR_INVOKE_CANCELLED', data: { reason: 'interrupted' } });
});

it('ST-04 takes a plain error of a cancelled step for the cancellation', async () => {
  const source = createCancellationSource();
  const aborting = resource('Test.Flaky', 'flaky', async () => {
    source.cancel('interrupted');
    throw new DOMException('aborted', 'AbortError');
  });

  const { outcome } = await runSteps([{ name: 'x', invoke: aborting }], { invokeCtx: source.context });

  expect(outcome.error).toMatchObject({
    code: 'ERR_INVOKE_CANCELLED',
    data: { pendingFailure: { message: 'aborted' } },
  });
});

it('ST-28 reads a policy with its defaults, and doubles up to a limit', () => {
  expect(readRetryPolicy(undefined)).toEqual({
    attempts: 0,
    initialDelay: 250,
    factor: 2,
    maxDelay: 32_000,
    jitter: 'full',
    nonRetryable: [],
  });
  expect(readRetryPolicy({ attempts: 2n, delay: '2s' })).toMatchObject({ attempts: 2, initialDelay: 2_000 });
  expect(() => readRetryPolicy({ attempts: 'many' })).toThrow(expect.objectContaining({ code: 'ERR_INVALID_VALUE' }));
  const policy = readRetryPolicy({ attempts: 9 });
  expect([0, 1, 2, 6, 7, 8].map((resend) => retryBackoffMs(policy, resend))).toEqual([
    250, 500, 1_000, 16_000, 32_000, 32_000,
  ]);
});

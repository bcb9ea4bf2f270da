import { createCancellationSource, InvokeError } from '@telorun/sdk';
import { describe, expect, it, vi } from 'vitest';
import { durableContext, resource } from '../../support/fake-context.ts';
import { MemoryRun } from '../../support/memory-handle.ts';
import { Scene } from './scene.ts';

vi.mock('../../../controllers/xmd/providers/host-files.ts', async (original) =>
  (await import('./counting-files.ts')).counting(await original()),
);

type Call = Parameters<typeof resource>[2];

function scene(call: Call, profile: Record<string, unknown> = {}): Scene {
  const operation = {
    name: 'Call',
    form: 'self-closing',
    grant: 'read',
    revision: '1',
    invoke: { kind: 'T.K', name: 'target' },
  };
  return new Scene({
    files: { 'a.md': 'a' },
    allow: ['read', 'write'],
    profile: { operations: [operation], ...profile },
    targets: { target: resource('T.K', 'target', call) },
  });
}

const TEXT = '<File path="a.md" /><Call /><File path="b.md">B</File>';
const OUTCOME = 'steps/apply/generated_xmd/outcome';
const BEGUN = 'steps/apply/xmd[1]/Call/begun';

/** A target that always fails, with data that JSON alone could not hold. */
function failing(calls: unknown[]): Call {
  return (inputs) => {
    calls.push(inputs);
    throw new InvokeError('ERR_SHOP_CLOSED', 'Cannot sell: it is closed', { until: 9n, why: 'night' });
  };
}

const deaf: Call = () => new Promise(() => undefined);

describe('a failing effect', () => {
  it('EV-42 is recorded in the outcome and nowhere else, stops there, and replays to the same error', async () => {
    const calls: unknown[] = [];
    const at = scene(failing(calls));
    const run = new MemoryRun();
    const errors: unknown[] = [];
    for (const _ of [0, 1]) {
      errors.push(
        await at
          .process()
          .evaluateIn(run.open(), { text: TEXT }, { attempt: 0 })
          .catch((e: unknown) => e),
      );
    }

    expect(errors[0]).toMatchObject({ code: 'ERR_SHOP_CLOSED', data: { until: 9n, why: 'night' } });
    expect(errors[1]).toEqual(errors[0]);
    expect(run.keys()).toEqual(['steps/apply/generated_xmd', 'steps/apply/xmd[0]/File', BEGUN, OUTCOME]);
    expect(run.value(OUTCOME)).toMatchObject({ outcome: 'failed', effect: 'steps/apply/xmd[1]/Call' });
    expect(calls).toHaveLength(1);
    expect(at.calls).toEqual(['read a.md']);
  });

  it('EV-33 a later attempt has an outcome of its own and shares the entries of finished effects', async () => {
    const paths: (string | undefined)[] = [];
    let closed = true;
    const at = scene((_inputs, context) => {
      paths.push(context?.durablePath);
      if (closed) throw new InvokeError('ERR_SHOP_CLOSED', 'Cannot sell: it is closed');
      return 'sold';
    });
    const run = new MemoryRun();
    await expect(at.process().evaluateIn(run.open(), { text: TEXT }, { attempt: 0 })).rejects.toMatchObject({
      code: 'ERR_SHOP_CLOSED',
    });
    closed = false;

    const result = await at.process().evaluateIn(run.open(), { text: TEXT }, { attempt: 1 });

    expect(result.output).toBe('asold');
    expect(run.keys()).toEqual([
      'steps/apply/generated_xmd',
      'steps/apply/xmd[0]/File',
      BEGUN,
      OUTCOME,
      `${BEGUN}[1]`,
      'steps/apply/xmd[1]/Call',
      'steps/apply/xmd[2]/File/before[1]',
      'steps/apply/xmd[2]/File',
      `${OUTCOME}[1]`,
    ]);
    expect(paths).toEqual(['steps/apply/xmd[1]/Call', 'steps/apply/xmd[1]/Call']);
    expect(at.calls).toEqual(['read a.md', 'write b.md']);
  });

  it('EV-22 where the host states no attempt, the failed entries of this execution are counted, from 0 again on resuming', async () => {
    const calls: unknown[] = [];
    const at = scene(failing(calls));
    const run = new MemoryRun({ withRecorded: false });
    for (const _ of [0, 1]) {
      const process = at.process();
      const handle = run.open();
      const entered = async (): Promise<unknown> => process.evaluateIn(handle, { text: TEXT }).catch((e: unknown) => e);
      await expect(entered()).resolves.toMatchObject({ code: 'ERR_SHOP_CLOSED' });
      await expect(entered()).resolves.toMatchObject({ code: 'ERR_SHOP_CLOSED' });
    }

    expect(run.keys().filter((key) => key.includes('outcome'))).toEqual([OUTCOME, `${OUTCOME}[1]`]);
    expect(calls).toHaveLength(2);
  });

  it.each<[string, () => unknown]>([
    ['a cancellation', () => new InvokeError('ERR_INVOKE_CANCELLED', 'cancelled')],
    ['a lost claim', () => new InvokeError('ERR_DURABLE_CLAIM_LOST', 'lost')],
    ['a journal error', () => new InvokeError('ERR_DURABLE_JOURNAL_FULL', 'full')],
    ['a mismatch', () => new InvokeError('ERR_JOURNAL_ENTRY_MISMATCH', 'other')],
    [
      'a refusal that leaves the run resumable',
      () => new InvokeError('ERR_XMD_POLICY_CHANGED', 'x', { resumable: true }),
    ],
  ])('S4 %s passes untouched and unrecorded, and nothing further starts', async (_name, make) => {
    const error = make();
    let broken = true;
    const at = scene(() => {
      if (broken) throw error;
      return 'ok';
    });
    const run = new MemoryRun();

    await expect(at.process().evaluateIn(run.open(), { text: TEXT })).rejects.toBe(error);
    expect(run.keys()).toEqual(['steps/apply/generated_xmd', 'steps/apply/xmd[0]/File', BEGUN]);
    expect(at.calls).toEqual(['read a.md']);

    broken = false;
    await expect(at.process().evaluateIn(run.open(), { text: TEXT })).resolves.toMatchObject({ output: 'aok' });
  });

  it('EV-34 an error of the handle under any code is no failure of the effect whose pre-image it could not keep', async () => {
    const at = scene(() => 'ok');
    const run = new MemoryRun();
    const handle = run.open();
    const broken = new Error('database is locked');
    const decide = handle.decide.bind(handle);
    handle.decide = (path, kind, compute) =>
      path.endsWith('/before') ? Promise.reject(broken) : decide(path, kind, compute);

    await expect(at.process().evaluateIn(handle, { text: TEXT })).rejects.toBe(broken);
    expect(run.keys()).not.toContain(OUTCOME);
    await expect(at.process().evaluateIn(run.open(), { text: TEXT })).resolves.toMatchObject({ output: 'aok' });
  });

  it('S4 a file that cannot be read is a failure, one fixed reason, with the effect', async () => {
    const at = scene(() => 'ok');
    const run = new MemoryRun();
    await expect(at.process().evaluateIn(run.open(), { text: '<File path="nope.md" />' })).rejects.toMatchObject({
      code: 'ERR_XMD_EFFECT',
      data: { effect: 'steps/apply/xmd[0]/File', reason: 'missing' },
    });
    expect(run.value(OUTCOME)).toMatchObject({ outcome: 'failed', code: 'ERR_XMD_EFFECT' });
  });

  it('EV-36 what a journal cannot keep is refused, and integers beyond doubles come back as they were', async () => {
    let answer: unknown = new Map();
    const at = scene(() => answer);
    await expect(at.process().evaluateIn(new MemoryRun().open(), { text: '<Call />' })).rejects.toMatchObject({
      code: 'ERR_XMD_EFFECT',
      data: { reason: 'unkeepable-value' },
    });
    answer = { n: 2n ** 60n, look: { $bigint: '5' }, at: new Date(0), gone: undefined };
    const run = new MemoryRun();
    const first = await at.process().evaluateIn(run.open(), { text: '<Call />' });
    const again = await at.process().evaluateIn(run.open(), { text: '<Call />' });

    expect(first.observations).toEqual([
      { name: 'Call', value: { n: 2n ** 60n, look: { $bigint: '5' }, at: '1970-01-01T00:00:00.000Z' } },
    ]);
    expect(again).toEqual(first);
  });
});

describe('limits', () => {
  it('EV-37 resultBytes: the last byte fits, one more fails with the effect that was too much', async () => {
    const at = scene(() => 'x'.repeat(10));
    // The observation is its JSON, quotes included; the value is rendered, too.
    const exact = { limits: { resultBytes: 10 + 2 + 10 } };
    const short = { limits: { resultBytes: 10 + 2 + 9 } };
    const process = (limits: Record<string, unknown>) => at.process({ profile: { ...at.options.profile, ...limits } });

    await expect(process(exact).evaluate({ text: '<Call />' })).resolves.toMatchObject({ output: 'x'.repeat(10) });
    const run = new MemoryRun();
    await expect(process(short).evaluateIn(run.open(), { text: '<Call />' })).rejects.toMatchObject({
      code: 'ERR_XMD_EFFECT',
      data: { effect: 'steps/apply/xmd[0]/Call', reason: 'result-limit' },
    });
    // What was done stays done: the entry is there, the failure is in the outcome.
    expect(run.keys()).toEqual([
      'steps/apply/generated_xmd',
      'steps/apply/xmd[0]/Call/begun',
      'steps/apply/xmd[0]/Call',
      OUTCOME,
    ]);
  });

  it('EV-35 effectMs: late work is cancelled and fails, also when it ignores its cancellation', async () => {
    const reasons: (string | undefined)[] = [];
    const polite: Call = (_inputs, context) =>
      new Promise((_resolve, reject) => {
        context?.cancellation.onCancelled((reason) => {
          reasons.push(reason);
          reject(new InvokeError('ERR_INVOKE_CANCELLED', 'stopped'));
        });
      });
    for (const call of [polite, deaf]) {
      const at = scene(call, { limits: { effectMs: 20 } });
      const run = new MemoryRun();
      await expect(at.process().evaluateIn(run.open(), { text: TEXT })).rejects.toMatchObject({
        code: 'ERR_XMD_EFFECT',
        data: { effect: 'steps/apply/xmd[1]/Call', reason: 'time-limit' },
      });
      expect(run.value(OUTCOME)).toMatchObject({ outcome: 'failed' });
      expect(at.calls).toEqual(['read a.md']);
    }
    expect(reasons).toEqual(['deadline-exceeded']);
  });

  it('E10 cancelling waits for the teardown of the effect, records nothing, and no later effect starts', async () => {
    const source = createCancellationSource();
    let torn = false;
    const at = scene(async (_inputs, context) => {
      const stopped = new Promise<void>((resolve) => context?.cancellation.onCancelled(() => resolve()));
      source.cancel('by the test');
      await stopped;
      await Promise.resolve();
      torn = true;
      throw new Error('aborted');
    });
    const run = new MemoryRun();
    const context = durableContext(run.open(), 'steps/apply', { cancellation: source.token });

    await expect(at.process().evaluate({ text: TEXT }, context)).rejects.toMatchObject({
      code: 'ERR_INVOKE_CANCELLED',
    });
    expect(torn).toBe(true);
    expect(run.keys()).toEqual(['steps/apply/generated_xmd', 'steps/apply/xmd[0]/File', BEGUN]);
    expect(at.calls).toEqual(['read a.md']);

    // The twin: a later process performs what was stopped, and only then what comes behind it.
    const whole = { targets: { target: resource('T.K', 'target', () => 'whole') } };
    await at.process(whole).evaluateIn(run.open(), { text: TEXT });
    expect(run.value('steps/apply/xmd[1]/Call')).toBe('whole');
    expect(at.calls).toEqual(['read a.md', 'write b.md']);
  });
});

describe('occurrences', () => {
  it('E10 repeated evaluations at one path never read one another, and each replays its own', async () => {
    let count = 0;
    const at = scene(() => (count += 1));
    const run = new MemoryRun();
    const both = async (): Promise<unknown> => {
      const process = at.process();
      const handle = run.open();
      const first = await process.evaluateIn(handle, { text: '<Call />' });
      const second = await process.evaluateIn(handle, { text: '<Call />' });
      return [first.observations[0]?.value, second.observations[0]?.value];
    };

    await expect(both()).resolves.toEqual([1, 2]);
    await expect(both()).resolves.toEqual([1, 2]);
    expect(run.keys()).toEqual([
      'steps/apply/generated_xmd',
      'steps/apply/xmd[0]/Call/begun',
      'steps/apply/xmd[0]/Call',
      OUTCOME,
      'steps/apply/occurrence[1]/generated_xmd',
      'steps/apply/occurrence[1]/xmd[0]/Call/begun',
      'steps/apply/occurrence[1]/xmd[0]/Call',
      'steps/apply/occurrence[1]/generated_xmd/outcome',
    ]);
    expect(run.value('steps/apply/occurrence[1]/generated_xmd')).toMatchObject({ occurrence: 1 });
  });

  it('EV-21 two at once at one path refuse; at two paths, or in two executions, they do not', async () => {
    const at = scene(() => 'x');
    const run = new MemoryRun();
    const process = at.process();
    const handle = run.open();
    const first = process.evaluateIn(handle, { text: '<Call />' });

    await expect(process.evaluateIn(handle, { text: '<Call />' })).rejects.toMatchObject({
      code: 'ERR_XMD_OCCURRENCE_BUSY',
      data: { path: 'steps/apply', state: 'running' },
    });
    await process.evaluateIn(handle, { text: '<Call />' }, { path: 'steps/each/iterate[1]/apply' });
    await process.evaluateIn(new MemoryRun().open(), { text: '<Call />' });
    await first;
  });

  it('EV-20 a failed entry is entered again as the same occurrence', async () => {
    let closed = true;
    const at = scene(() => {
      if (closed) throw new InvokeError('ERR_SHOP_CLOSED', 'closed');
      return 'x';
    });
    const run = new MemoryRun();
    const process = at.process();
    const handle = run.open();
    await expect(process.evaluateIn(handle, { text: '<Call />' }, { attempt: 0 })).rejects.toBeDefined();
    closed = false;
    await process.evaluateIn(handle, { text: '<Call />' }, { attempt: 1 });

    expect(run.keys()).toEqual([
      'steps/apply/generated_xmd',
      'steps/apply/xmd[0]/Call/begun',
      OUTCOME,
      'steps/apply/xmd[0]/Call/begun[1]',
      'steps/apply/xmd[0]/Call',
      `${OUTCOME}[1]`,
    ]);
  });
});

import { createHash } from 'node:crypto';
import { InvokeError, type DurableRunHandle } from '@telorun/sdk';
import { describe, expect, it } from 'vitest';
import { durableContext, resource } from '../../support/fake-context.ts';
import { MemoryRun } from '../../support/memory-handle.ts';
import { rewrite, Scene, type SceneOptions, suspended } from './scene.ts';

const PATH = 'steps/apply/xmd[0]/Pay';
const KEY = createHash('sha256').update(`run-1#${PATH}`).digest('hex');
const TEXT = '<Pay amount={5} />';
const ADMITTED = 'steps/apply/generated_xmd';
const OUTCOME = 'steps/apply/generated_xmd/outcome';

type Scope = { props: Record<string, unknown>; effect: { key: string; path: string } };

/** A shop that is paid under an idempotency key, and who asked. `fails` says which calls fail, from 0. */
function shop(profile: Record<string, unknown> = {}, fails: readonly number[] = []) {
  const calls: unknown[] = [];
  const pay = resource('Shop.Pay', 'till', (inputs) => {
    const index = calls.push(inputs) - 1;
    if (fails.includes(index)) throw new InvokeError('ERR_SHOP_CLOSED', 'Cannot pay: it is closed');
    return { receipt: index };
  });
  const operation = {
    name: 'Pay',
    form: 'self-closing',
    grant: 'write',
    revision: '1',
    invoke: { kind: 'Shop.Pay', name: 'till' },
    inputs: { amount: ({ props }: Scope) => props['amount'], key: ({ effect }: Scope) => effect.key },
    props: { type: 'object', properties: { amount: { type: 'number' } }, additionalProperties: false },
    inDoubt: 'refuse',
    ...profile,
  };
  const options: SceneOptions = {
    allow: ['read', 'write'],
    profile: { operations: [operation] },
    targets: { till: pay },
  };
  return { calls, operation, scene: new Scene(options) };
}

/** Dies between the begin of the call and the record of its result: the call was made. */
async function lose({ scene }: ReturnType<typeof shop>, run: MemoryRun, writesBefore = 2): Promise<void> {
  await expect(
    scene.process().evaluateIn(run.openKilledAt(writesBefore), { text: TEXT }, { attempt: 0 }),
  ).rejects.toMatchObject({ code: 'ERR_DURABLE_JOURNAL_UNAVAILABLE' });
}

describe('a call of the host', () => {
  it('HO-10 R3 records its begin just ahead of itself, and its inputs read the key and the path', async () => {
    const at = shop({ inputs: { said: ({ effect }: Scope) => effect } });
    const run = new MemoryRun();
    await at.scene.process().evaluateIn(run.open(), { text: `${TEXT} and ${TEXT}` });

    expect(run.keys()).toEqual([
      ADMITTED,
      `${PATH}/begun`,
      PATH,
      'steps/apply/xmd[1]/Pay/begun',
      'steps/apply/xmd[1]/Pay',
      OUTCOME,
    ]);
    expect(run.value(`${PATH}/begun`)).toEqual({ key: KEY, call: expect.stringMatching(/^[0-9a-f]{16}$/) });
    expect(run.entries.get(`${PATH}/begun`)).toMatchObject({ kind: 'decision', decision: 'value' });
    expect(at.calls[0]).toEqual({ said: { key: KEY, path: PATH } });
    expect(at.calls).toHaveLength(2);
  });

  it('HO-10 R4 is made once over start and resumes when its result is on record', async () => {
    const at = shop();
    const run = new MemoryRun();
    await lose(at, run, 3);
    for (const _ of [0, 1]) await at.scene.process().evaluateIn(run.open(), { text: TEXT });

    expect(at.calls).toEqual([{ amount: 5, key: KEY }]);
  });

  it('HO-10 a kill before its begin is no doubt', async () => {
    const at = shop();
    const run = new MemoryRun();
    await lose(at, run, 1);
    expect(at.calls).toEqual([]);

    await at.scene.process().evaluateIn(run.open(), { text: TEXT });
    expect(at.calls).toHaveLength(1);
  });

  it('HO-11 inputs that cannot be had are a failure without a begin', async () => {
    const at = shop({
      inputs: {
        no: () => {
          throw new Error('no such key');
        },
      },
    });
    const run = new MemoryRun();

    await expect(at.scene.process().evaluateIn(run.open(), { text: TEXT })).rejects.toThrow('no such key');
    expect(run.keys()).toEqual([ADMITTED, OUTCOME]);
    expect(at.calls).toEqual([]);
  });

  it('HO-13 in a collapsed region nothing is begun, and the key is the same when the region runs again', async () => {
    const at = shop();
    const zones = { region: { idempotent: 'running it again changes nothing' } };
    for (const _ of [0, 1]) {
      const run = new MemoryRun();
      const process = at.scene.process({ zones });
      await process.ctx.withZone(
        'region',
        (context) => process.evaluate({ text: TEXT }, context),
        durableContext(run.open(), 'steps/apply'),
      );
      expect(run.keys()).toEqual([PATH]);
    }
    expect(at.calls).toEqual([
      { amount: 5, key: KEY },
      { amount: 5, key: KEY },
    ]);
  });

  it('HO-13 outside a run every call has a key of its own', async () => {
    const at = shop({ inputs: { key: ({ effect }: Scope) => effect.key } });
    for (const _ of [0, 1]) await at.scene.process().evaluate({ text: TEXT });

    const keys = new Set(at.calls.map((call) => JSON.stringify(call)));
    expect(keys.size).toBe(2);
    expect([...keys].every((key) => /"[0-9a-f]{64}"/.test(key))).toBe(true);
  });
});

describe('a call in doubt', () => {
  it('HO-20 retry: is made again under the same key', async () => {
    const at = shop({ inDoubt: 'retry' });
    const run = new MemoryRun();
    await lose(at, run);
    expect(run.keys()).toEqual([ADMITTED, `${PATH}/begun`]);
    const result = await at.scene.process().evaluateIn(run.open(), { text: TEXT });

    expect(at.calls).toEqual([
      { amount: 5, key: KEY },
      { amount: 5, key: KEY },
    ]);
    expect(run.keys()).toEqual([ADMITTED, `${PATH}/begun`, PATH, OUTCOME]);
    expect(run.value(PATH)).toEqual({ receipt: 1 });
    expect(result).toEqual({ observations: [], output: '' });
  });

  it('HO-20 a read that does not say is made again', async () => {
    const at = shop({ grant: 'read', inDoubt: undefined });
    const run = new MemoryRun();
    await lose(at, run);

    await expect(at.scene.process().evaluateIn(run.open(), { text: TEXT })).resolves.toMatchObject({
      observations: [{ name: 'Pay', value: { receipt: 1 } }],
    });
  });

  it.each([
    ['refuse', false],
    ['ask', true],
  ])('HO-21 HO-22 %s: parks, whatever often it is resumed, and calls nothing', async (inDoubt, answerable) => {
    const at = shop({ inDoubt });
    const run = new MemoryRun();
    await lose(at, run);
    for (const _ of [0, 1, 2]) await suspended(at.scene.process().evaluateIn(run.open(), { text: TEXT }));

    expect(at.calls).toHaveLength(1);
    expect(run.keys()).toEqual([ADMITTED, `${PATH}/begun`, ...(answerable ? [`${PATH}/doubt/token`] : [])]);
    expect(run.waits).toEqual([
      {
        path: `${PATH}/doubt`,
        resource: 'Doubt/Shop.Pay/till',
        ...(answerable ? { token: expect.stringMatching(/^[0-9a-f]{48}$/) } : {}),
        schema: expect.objectContaining({ required: ['decision'], additionalProperties: false }),
        request: expect.stringContaining(`The call of Shop.Pay/till had begun`),
        answered: false,
      },
    ]);
  });

  it.each(['refuse', 'ask'])(
    'HO-23 %s, decided done: the value is the effect’s, and nothing is called',
    async (inDoubt) => {
      const at = shop({ inDoubt, grant: 'read' });
      const run = new MemoryRun();
      await lose(at, run);
      await suspended(at.scene.process().evaluateIn(run.open(), { text: TEXT }));
      run.deliver(`${PATH}/doubt`, { decision: 'done', value: { receipt: 'by hand', cents: 2n ** 60n } });

      const first = await at.scene.process().evaluateIn(run.open(), { text: TEXT });
      const again = await at.scene.process().evaluateIn(run.open(), { text: TEXT });

      expect(first.observations).toEqual([{ name: 'Pay', value: { receipt: 'by hand', cents: 2n ** 60n } }]);
      expect(again).toEqual(first);
      expect(at.calls).toHaveLength(1);
    },
  );

  it.each(['refuse', 'ask'])('HO-23 %s, decided done without a value: null', async (inDoubt) => {
    const at = shop({ inDoubt });
    const run = new MemoryRun();
    await lose(at, run);
    await suspended(at.scene.process().evaluateIn(run.open(), { text: TEXT }));
    run.deliver(`${PATH}/doubt`, { decision: 'done' });

    await at.scene.process().evaluateIn(run.open(), { text: TEXT });
    expect(run.value(PATH)).toBeNull();
    expect(at.calls).toHaveLength(1);
  });

  it('HO-24 decided retry: one more call under the same key, and a second doubt is asked about anew', async () => {
    const at = shop();
    const run = new MemoryRun();
    await lose(at, run);
    await suspended(at.scene.process().evaluateIn(run.open(), { text: TEXT }));
    run.deliver(`${PATH}/doubt`, { decision: 'retry' });
    // Dies again with the second call on its way.
    await lose(at, run, 1);
    expect(at.calls).toHaveLength(2);
    for (const _ of [0, 1]) await suspended(at.scene.process().evaluateIn(run.open(), { text: TEXT }));
    expect(at.calls).toHaveLength(2);
    expect(run.waits.map(({ path, answered }) => ({ path, answered }))).toEqual([
      { path: `${PATH}/doubt`, answered: true },
      { path: `${PATH}/doubt/doubt`, answered: false },
    ]);

    run.deliver(`${PATH}/doubt/doubt`, { decision: 'retry' });
    await at.scene.process().evaluateIn(run.open(), { text: TEXT });
    expect(at.calls).toEqual([0, 1, 2].map(() => ({ amount: 5, key: KEY })));
    expect(run.keys()).toEqual([
      ADMITTED,
      `${PATH}/begun`,
      `${PATH}/doubt`,
      `${PATH}/doubt/begun`,
      `${PATH}/doubt/doubt`,
      `${PATH}/doubt/doubt/begun`,
      PATH,
      OUTCOME,
    ]);
  });

  it.each([true, false])(
    'HO-25 decided fail: the effect fails for good, in later attempts too (recorded: %s)',
    async (withRecorded) => {
      const at = shop();
      const run = new MemoryRun({ withRecorded });
      await lose(at, run);
      await suspended(at.scene.process().evaluateIn(run.open(), { text: TEXT }));
      run.deliver(`${PATH}/doubt`, { decision: 'fail' });

      for (const attempt of [0, 0, 1, 2]) {
        await expect(at.scene.process().evaluateIn(run.open(), { text: TEXT }, { attempt })).rejects.toMatchObject({
          code: 'ERR_XMD_IN_DOUBT',
          data: { effect: PATH, reason: 'decided-failed' },
        });
      }
      expect(at.calls).toHaveLength(1);
      expect(run.value(OUTCOME)).toMatchObject({ outcome: 'failed', code: 'ERR_XMD_IN_DOUBT', effect: PATH });
      expect(run.keys().filter((key) => key.includes('outcome'))).toEqual([OUTCOME, `${OUTCOME}[1]`, `${OUTCOME}[2]`]);
    },
  );

  it('HO-26 a recorded failure came back: the next attempt is a call of its own', async () => {
    const at = shop({}, [0]);
    const run = new MemoryRun();
    await expect(at.scene.process().evaluateIn(run.open(), { text: TEXT }, { attempt: 0 })).rejects.toMatchObject({
      code: 'ERR_SHOP_CLOSED',
    });
    await at.scene.process().evaluateIn(run.open(), { text: TEXT }, { attempt: 1 });

    expect(at.calls).toHaveLength(2);
    expect(run.keys()).toEqual([ADMITTED, `${PATH}/begun`, OUTCOME, `${PATH}/begun[1]`, PATH, `${OUTCOME}[1]`]);
  });

  it('HO-26 a doubt in a later attempt is asked about under the number of that attempt', async () => {
    const at = shop({}, [0]);
    const run = new MemoryRun();
    await expect(at.scene.process().evaluateIn(run.open(), { text: TEXT }, { attempt: 0 })).rejects.toBeDefined();
    await expect(
      at.scene.process().evaluateIn(run.openKilledAt(1), { text: TEXT }, { attempt: 1 }),
    ).rejects.toMatchObject({ code: 'ERR_DURABLE_JOURNAL_UNAVAILABLE' });
    await suspended(at.scene.process().evaluateIn(run.open(), { text: TEXT }, { attempt: 1 }));

    expect(run.waits).toMatchObject([{ path: `${PATH}/doubt[1]` }]);
    expect(at.calls).toHaveLength(2);
    run.deliver(`${PATH}/doubt[1]`, { decision: 'done', value: 1 });
    await at.scene.process().evaluateIn(run.open(), { text: TEXT }, { attempt: 1 });
    expect(at.calls).toHaveLength(2);
  });

  it('HO-26 an attempt that never came back stays in doubt in the attempts after it', async () => {
    const at = shop();
    const run = new MemoryRun();
    await lose(at, run);
    // A host that counts on although no outcome is on record.
    await suspended(at.scene.process().evaluateIn(run.open(), { text: TEXT }, { attempt: 1 }));

    expect(run.waits).toMatchObject([{ path: `${PATH}/doubt` }]);
    expect(at.calls).toHaveLength(1);
  });

  it('HO-27 what is stated about a doubt may change; a decision on record counts all the same', async () => {
    const at = shop();
    const run = new MemoryRun();
    await lose(at, run);
    await suspended(at.scene.process().evaluateIn(run.open(), { text: TEXT }));
    const patient = { profile: { operations: [{ ...at.operation, inDoubt: 'retry' }] } };
    const twin = new MemoryRun();
    for (const [path, entry] of run.entries) twin.entries.set(path, entry);

    await at.scene.process(patient).evaluateIn(twin.open(), { text: TEXT });
    expect(at.calls).toHaveLength(2);

    run.deliver(`${PATH}/doubt`, { decision: 'done', value: 'as decided' });
    await at.scene.process(patient).evaluateIn(run.open(), { text: TEXT });
    expect(run.value(PATH)).toBe('as decided');
    expect(at.calls).toHaveLength(2);
  });

  it('HO-28 a begin that another process recorded first is not this one', async () => {
    const at = shop();
    const run = new MemoryRun();
    const theirs = run.open();
    const mine = run.open();
    const late: DurableRunHandle = {
      runId: mine.runId,
      step: mine.step.bind(mine),
      park: mine.park.bind(mine),
      writesInside: () => false,
      recorded: (path) => mine.recorded?.(path) ?? false,
      // Computes, and learns then that another process was first.
      decide: async (path, kind, compute) => {
        const computed = compute();
        if (path.endsWith('/begun')) await theirs.decide(path, kind, () => ({ key: KEY, call: '0123456789abcdef' }));
        return mine.decide(path, kind, () => computed);
      },
    };
    await suspended(at.scene.process().evaluateIn(late, { text: TEXT }));

    expect(at.calls).toEqual([]);
    expect(run.waits).toMatchObject([{ path: `${PATH}/doubt` }]);
  });

  it('S5 where a zone forbids waiting the doubt is a failure with the zone’s reason, and nothing is called', async () => {
    const at = shop();
    const run = new MemoryRun({ writesInside: () => true });
    await lose(at, run);
    const zones = { region: { atomic: 'all or nothing', noSuspend: 'a transaction stays open' } };
    const process = at.scene.process({ zones });

    await expect(
      process.ctx.withZone(
        'region',
        (context) => process.evaluate({ text: TEXT }, context),
        durableContext(run.open(), 'steps/apply'),
      ),
    ).rejects.toMatchObject({ code: 'ERR_DURABLE_SUSPEND_FORBIDDEN' });
    expect(at.calls).toHaveLength(1);
    expect(run.waits).toEqual([]);
  });
});

describe('hostile records of a call', () => {
  it.each<[string, (value: Record<string, unknown>) => unknown]>([
    ['another key', (value) => ({ ...value, key: 'f'.repeat(64) })],
    ['no key', ({ call }) => ({ call })],
    ['a member more', (value) => ({ ...value, more: 1 })],
    ['something else', () => 'begun'],
  ])('E7 a begin with %s is unreadable, performs nothing, and the unmodified one goes on', async (_name, change) => {
    const at = shop({ inDoubt: 'retry' });
    const run = new MemoryRun();
    await lose(at, run);
    const unmodified = run.entries.get(`${PATH}/begun`);
    rewrite(run, `${PATH}/begun`, change);

    await expect(at.scene.process().evaluateIn(run.open(), { text: TEXT })).rejects.toMatchObject({
      code: 'ERR_XMD_RECORD_UNREADABLE',
      data: { path: `${PATH}/begun`, resumable: true },
    });
    expect(at.calls).toHaveLength(1);
    expect(run.keys()).toEqual([ADMITTED, `${PATH}/begun`]);

    if (unmodified !== undefined) run.entries.set(`${PATH}/begun`, unmodified);
    await at.scene.process().evaluateIn(run.open(), { text: TEXT });
    expect(at.calls).toHaveLength(2);
  });

  it.each<unknown>([null, 'done', {}, { decision: 'maybe' }, { decision: 'done', value: 1, more: 1 }, ['done']])(
    'E7 %j is no decision, and performs nothing',
    async (decision) => {
      const at = shop();
      const run = new MemoryRun();
      await lose(at, run);
      await suspended(at.scene.process().evaluateIn(run.open(), { text: TEXT }));
      run.deliver(`${PATH}/doubt`, decision);

      await expect(at.scene.process().evaluateIn(run.open(), { text: TEXT })).rejects.toMatchObject({
        code: 'ERR_XMD_RECORD_UNREADABLE',
        data: { path: `${PATH}/doubt`, resumable: true },
      });
      expect(at.calls).toHaveLength(1);
      expect(run.keys()).not.toContain(OUTCOME);
    },
  );
});

describe('what a profile states about a doubt', () => {
  it.each([
    ['a write that does not say', { inDoubt: undefined }, 'does not state inDoubt'],
    ['another word', { inDoubt: 'shrug' }, 'neither retry, refuse nor ask'],
    ['no revision', { revision: undefined }, 'no revision'],
    ['an empty revision', { revision: '' }, 'no revision'],
  ])('HO-01 %s is no profile', (_name, changes, said) => {
    const at = shop();
    const profile = { operations: [{ ...at.operation, ...changes }] };

    expect(() => at.scene.process({ profile })).toThrow(
      expect.objectContaining({ code: 'ERR_XMD_PROFILE', message: expect.stringContaining(said) }),
    );
    expect(() => at.scene.process()).not.toThrow();
  });

  it.each(['Durable.Await', 'DurableLocal.Workflow', 'Run.Sequence', 'Xmd.Evaluate'])(
    'HO-14 a %s is entered again: no begin, and only retry is legal',
    async (kind) => {
      const entered: unknown[] = [];
      const again = resource(kind, 'again', (inputs) => entered.push(inputs));
      const targets = { again };
      const operation = {
        ...shop().operation,
        invoke: { kind, name: 'again' },
        inputs: { key: ({ effect }: Scope) => effect.key },
      };
      const scene = new Scene({ allow: ['read', 'write'], targets });
      for (const inDoubt of ['refuse', 'ask']) {
        const refused = scene.process({ profile: { operations: [{ ...operation, inDoubt }] } });
        await expect(refused.evaluate({ text: 'prose' })).rejects.toMatchObject({ code: 'ERR_XMD_PROFILE' });
      }
      const process = (): ReturnType<Scene['process']> =>
        scene.process({ profile: { operations: [{ ...operation, inDoubt: 'retry' }] } });
      const run = new MemoryRun();
      await expect(process().evaluateIn(run.openKilledAt(1), { text: TEXT })).rejects.toBeDefined();
      await process().evaluateIn(run.open(), { text: TEXT });

      expect(entered).toEqual([{ key: KEY }, { key: KEY }]);
      expect(run.keys()).toEqual([ADMITTED, PATH, OUTCOME]);
    },
  );

  it('HO-05 result is what the effect is worth; a wait has none, because its answer is the value', async () => {
    const at = shop({ grant: 'read', result: ({ result }: { result: { receipt: number } }) => `no ${result.receipt}` });
    const run = new MemoryRun();
    await expect(at.scene.process().evaluateIn(run.open(), { text: TEXT })).resolves.toMatchObject({ output: 'no 0' });
    expect(run.value(PATH)).toBe('no 0');

    const scene = new Scene({ targets: { gate: resource('Durable.Await', 'gate', () => 1) } });
    const operation = { ...at.operation, inDoubt: 'retry', invoke: { kind: 'Durable.Await', name: 'gate' } };
    await expect(
      scene.process({ profile: { operations: [operation] } }).evaluate({ text: 'prose' }),
    ).rejects.toMatchObject({ code: 'ERR_XMD_PROFILE' });
  });
});

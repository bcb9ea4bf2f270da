import type { FencedJournal } from '@telorun/sdk/journal';
import { UNCANCELLABLE_CONTEXT } from '@telorun/sdk';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Sweeper } from '../../../../kernel/durable/sweep.ts';
import { startTimer } from '../../../../kernel/kinds/timer/timer.ts';
import { application, counted } from './application.ts';
import { keys } from './bench.ts';
import { journals } from './journals.ts';
import type { Place } from './journals.ts';

const JOURNAL = { kind: 'DurableJournalSqlite.Journal', name: 'runs' };
const DAY_MS = 86_400_000;

describe.each(journals)('durable kinds over a $name journal', ({ open }) => {
  let place: Place;
  let journal: FencedJournal;
  let now: number;
  const clock = (): number => now;
  beforeEach(async () => {
    now = 1_800_000_000_000;
    place = open(clock);
    journal = await place.connect();
  });
  afterEach(() => place.dispose());

  /** A workflow with one step, in a process of its own. */
  const flow = async (kind: string, fields: Record<string, unknown>, step: Record<string, unknown> = {}) => {
    const app = application(await place.connect(), { now: clock });
    const instance = await app.make(kind, 'subject', fields);
    return app.workflow({ steps: [{ name: 'x', invoke: instance, ...step }] });
  };

  describe('Durable.Sleep', () => {
    it.each<[string, Record<string, unknown>, number]>([
      ['for a duration', { for: '90s' }, 90_000],
      ['until epoch milliseconds', { until: 1_800_000_000_000 + DAY_MS }, DAY_MS],
      ['until a BigInt', { until: 1_800_000_005_000n }, 5_000],
      ['until a date', { until: new Date(1_800_000_000_000 + 30 * DAY_MS).toISOString() }, 30 * DAY_MS],
      ['for 400 days', { for: '400d' }, 400 * DAY_MS],
    ])('S8 DK-21 sleeps %s, fixed when it is reached first', async (_name, fields, ms) => {
      const one = await flow('Durable.Sleep', fields);
      const { done } = await one.start({ runId: 'r' });
      const at = now + ms;
      expect(await done).toMatchObject({ status: 'parked', waits: [{ path: 'steps/x', at }] });
      now = at - 1;
      expect(await one.execute('r')).toMatchObject({ status: 'parked' });
      now = at;

      const woken = await (await flow('Durable.Sleep', fields)).execute('r');
      expect(woken).toMatchObject({ status: 'completed', result: { steps: { x: { result: { wokeAt: at } } } } });
      expect(await keys(journal, 'r')).toEqual(['inputs', 'steps/x/wakeAt', 'steps/x']);
    });

    it('S8 answers at once for an instant that has passed', async () => {
      const { done } = await (await flow('Durable.Sleep', { until: 5 })).start({ runId: 'r' });

      expect(await done).toMatchObject({ status: 'completed' });
    });

    it.each<[Record<string, unknown>, string]>([
      [{}, 'ERR_DURABLE_SLEEP_INVALID'],
      [{ for: '1s', until: 5 }, 'ERR_DURABLE_SLEEP_INVALID'],
      [{ until: 'tomorrow' }, 'ERR_DURABLE_SLEEP_INVALID'],
      [{ for: 'a while' }, 'ERR_INVALID_VALUE'],
    ])('S8 DK-22 refuses %j and does not retry', async (fields, code) => {
      const retry = { attempts: 2, initialDelay: 1 };
      const { done } = await (await flow('Durable.Sleep', fields, { retry })).start({ runId: 'r' });

      expect(await done).toMatchObject({ status: 'failed', error: { code } });
    });
  });

  describe('Durable.Await', () => {
    it('S3 DK-30 DK-31 parks with token, schema and request, and the answer is the value of the step', async () => {
      const fields = { outputType: { type: 'object', required: ['approved'] } };
      const one = await flow('Durable.Await', fields, { inputs: { request: { question: 'Publish?' } } });
      const { settlement } = { settlement: await (await one.start({ runId: 'r' })).done };
      const [wait] = settlement.waits ?? [];
      expect(wait).toMatchObject({ path: 'steps/x', schema: fields.outputType, request: { question: 'Publish?' } });
      expect(wait?.token).toMatch(/^[0-9a-f]{48}$/);
      await journal.answer({ run: 'r' }, { approved: true });

      const resumed = await (await flow('Durable.Await', fields, { inputs: { request: 1 } })).execute('r');
      expect(resumed).toMatchObject({ status: 'completed', result: { steps: { x: { result: { approved: true } } } } });
      expect(await keys(journal, 'r')).toEqual(['inputs', 'steps/x/inputs', 'steps/x/token', 'steps/x']);
    });

    it('S9 DK-32 closes the wait before it throws the timeout, and is not retried', async () => {
      const step = { retry: { attempts: 3, initialDelay: 1 } };
      const one = await flow('Durable.Await', { timeout: '1h', token: 'ask-1' }, step);
      expect(await (await one.start({ runId: 'r' })).done).toMatchObject({
        status: 'parked',
        waits: [{ at: now + 3_600_000 }],
      });
      now += 3_600_000;
      const settled = await (await flow('Durable.Await', { timeout: '1h', token: 'ask-1' }, step)).execute('r');

      expect(settled).toMatchObject({ status: 'failed', error: { code: 'ERR_DURABLE_AWAIT_TIMEOUT' } });
      expect(await journal.answer({ token: 'ask-1' }, 'late')).toMatchObject({ delivered: false });
      expect(await keys(journal, 'r')).toEqual(['inputs', 'steps/x/token', 'steps/x/deadline']);
    });

    it('S9 DK-32 takes an answer that came between the deadline and the next execution', async () => {
      const one = await flow('Durable.Await', { timeout: '1h', token: 'ask-1' });
      await (
        await one.start({ runId: 'r' })
      ).done;
      now += 3_600_001;
      expect(await journal.answer({ token: 'ask-1' }, { outcome: 'failed' })).toMatchObject({ delivered: true });

      expect(await one.execute('r')).toMatchObject({
        status: 'completed',
        result: { steps: { x: { result: { outcome: 'failed' } } } },
      });
    });

    it('S9 DK-32 lets the timeout of the call win, and keeps the first deadline', async () => {
      const one = await flow('Durable.Await', { timeout: '1h' }, { inputs: { timeout: '1d' } });
      const began = now;
      await (
        await one.start({ runId: 'r' })
      ).done;
      now += 5 * 3_600_000;
      expect(await one.execute('r')).toMatchObject({ status: 'parked' });

      expect(await journal.readWaits('r')).toMatchObject([{ at: began + DAY_MS, state: 'open' }]);
    });

    it('S5 DK-34 takes the answer inside a region that is journaled as a whole', async () => {
      const build = async () => {
        const app = application(await place.connect(), { now: clock });
        const ask = await app.make('Durable.Await', 'ask', { token: 'ask-1' });
        const region = await app.make('Durable.Idempotent', 'region', {
          reason: 'harmless',
          steps: [{ name: 'ask', invoke: ask }],
        });
        return app.workflow({ steps: [{ name: 'x', invoke: region }] });
      };
      expect(await (await (await build()).start({ runId: 'r' })).done).toMatchObject({ status: 'parked' });
      await journal.answer({ token: 'ask-1' }, 'yes');

      expect(await (await build()).execute('r')).toMatchObject({
        status: 'completed',
        result: { steps: { x: { result: { steps: { ask: { result: 'yes' } } } } } },
      });
    });
  });

  it.each(['Durable.Sleep', 'Durable.Await', 'Durable.Value'])(
    'S1 DK-20 refuses %s outside a durable run',
    async (kind) => {
      const instance = await application(journal, { now: clock }).make(kind, 'subject', { for: '1s', value: 1 });

      await expect(instance.invoke?.({}, UNCANCELLABLE_CONTEXT)).rejects.toMatchObject({ code: 'ERR_DURABLE_NO_RUN' });
    },
  );

  it('S2 DK-40 reads a Durable.Value once for the run', async () => {
    let reads = 0;
    const build = async () => {
      const app = application(await place.connect(), { now: clock });
      const value = await app.make('Durable.Value', 'value', { value: () => (reads += 1) });
      const region = await app.make('Durable.Idempotent', 'region', {
        reason: 'harmless',
        steps: [{ name: 'v', invoke: value }],
      });
      const ask = await app.make('Durable.Await', 'ask', { token: 'ask-1' });
      const steps = [
        { name: 'v', invoke: value },
        { name: 'r', invoke: region },
        { name: 'ask', invoke: ask },
      ];
      return app.workflow({ steps });
    };
    await (
      await (await build()).start({ runId: 'r' })
    ).done;
    await journal.answer({ token: 'ask-1' }, 0);
    const settled = await (await build()).execute('r');

    expect(settled).toMatchObject({
      status: 'completed',
      result: { steps: { v: { result: 1 }, r: { result: { steps: { v: { result: 2 } } } } } },
    });
    expect(reads).toBe(2);
  });

  it('S5 DK-45 repeats an idempotent body as a whole, and records it once', async () => {
    const effect = counted('effect');
    const app = application(journal, { now: clock });
    const region = await app.make('Durable.Idempotent', 'region', {
      reason: 'harmless',
      inputs: { a: 1 },
      steps: [{ name: 'e', invoke: effect.instance, inputs: (scope: { inputs: unknown }) => scope.inputs }],
    });
    const one = await app.workflow({ steps: [{ name: 'x', invoke: region }] });
    const settled = await (await one.start({ runId: 'r' })).done;

    expect(region.snapshot?.()).toEqual({ reason: 'harmless' });
    expect(settled).toMatchObject({
      status: 'completed',
      result: { steps: { x: { result: { steps: { e: { result: 'effect' } } } } } },
    });
    expect(await keys(journal, 'r')).toEqual(['inputs', 'steps/x']);
    expect(effect.calls).toEqual([{ a: 1 }]);
    expect(await journal.readRun('r')).toMatchObject({ collapsedRegions: 1 });
  });

  describe('DurableLocal.Deliver, Status, Result, Cancel, Resume', () => {
    const parked = async () => {
      const app = application(journal, { now: clock });
      const schema = { type: 'object', required: ['approved'] };
      const ask = await app.make('Durable.Await', 'ask', { token: 'ask-1', outputType: schema });
      const one = await app.workflow({ steps: [{ name: 'x', invoke: ask }] });
      await (
        await one.start({ runId: 'r' })
      ).done;
      return { app, one };
    };

    it('S9 DK-50 delivers one answer and says what became of the others', async () => {
      const { app, one } = await parked();
      const payload = (scope: { inputs: { payload: unknown } }): unknown => scope.inputs.payload;
      const token = (scope: { inputs: { token: unknown } }): unknown => scope.inputs.token;
      const deliver = await app.make('DurableLocal.Deliver', 'deliver', {
        journal: JOURNAL,
        token,
        payload,
        await: { kind: 'Durable.Await', name: 'ask' },
      });
      const give = (inputs: unknown) => deliver.invoke?.(inputs);

      await expect(give({ token: '' })).rejects.toMatchObject({ code: 'ERR_DURABLE_TOKEN_REQUIRED' });
      await expect(give({ token: 'ask-1', payload: {} })).rejects.toMatchObject({
        code: 'ERR_DURABLE_PAYLOAD_INVALID',
      });
      expect(await give({ token: 'nobody', payload: { approved: true } })).toEqual({ delivered: false });
      expect(await give({ token: 'ask-1', payload: { approved: true } })).toEqual({ delivered: true, run: 'r' });
      expect(await give({ token: 'ask-1', payload: { approved: false } })).toEqual({ delivered: false });
      expect(await one.execute('r')).toMatchObject({
        status: 'completed',
        result: { steps: { x: { result: { approved: true } } } },
      });
    });

    it('S9 DK-51 checks an answer against the schema that was recorded with the wait', async () => {
      const { app } = await parked();
      const deliver = await app.make('DurableLocal.Deliver', 'deliver', {
        journal: JOURNAL,
        token: 'ask-1',
        payload: {},
      });

      await expect(deliver.invoke?.({})).rejects.toMatchObject({ code: 'ERR_DURABLE_PAYLOAD_INVALID' });
    });

    it('S1 DK-60 tells how a run stands, and no token', async () => {
      const { app } = await parked();
      const status = await app.make('DurableLocal.Status', 'status', { journal: JOURNAL });

      expect(await status.invoke?.({ run: 'r' })).toEqual({
        run: 'r',
        status: 'parked',
        parked: { path: 'steps/x', resource: 'Durable.Await/ask' },
      });
      expect(await status.invoke?.({ run: 'nobody' })).toEqual({ run: 'nobody', status: 'unknown' });
      await expect(status.invoke?.({})).rejects.toMatchObject({ code: 'ERR_DURABLE_RUN_ID_INVALID' });
    });

    it('S1 DK-61 answers the result of a run, and waits for it where asked', async () => {
      const { app, one } = await parked();
      const result = await app.make('DurableLocal.Result', 'result', {
        journal: JOURNAL,
        run: 'r',
        wait: '1h',
        poll: 10,
      });
      const early = await app.make('DurableLocal.Result', 'early', { journal: JOURNAL, run: 'r' });
      expect(await early.invoke?.({})).toEqual({ run: 'r', status: 'parked' });
      const waiting = result.invoke?.({});
      await journal.answer({ token: 'ask-1' }, { approved: true });
      await one.execute('r');

      expect(await waiting).toMatchObject({
        run: 'r',
        status: 'completed',
        result: { steps: { x: { result: { approved: true } } } },
        collapsedRegions: 0,
      });
    });

    it('S4 DK-62 cancels a run for good', async () => {
      const { app, one } = await parked();
      const cancel = await app.make('DurableLocal.Cancel', 'cancel', { journal: JOURNAL, run: 'r', reason: 'enough' });

      expect(await cancel.invoke?.({})).toEqual({ run: 'r', cancelled: true, status: 'cancelled' });
      expect(await cancel.invoke?.({})).toEqual({ run: 'r', cancelled: false, status: 'cancelled' });
      expect(await cancel.invoke?.({ run: 'r' })).toMatchObject({ cancelled: false });
      expect(await journal.answer({ token: 'ask-1' }, { approved: true })).toMatchObject({ delivered: false });
      expect(await one.execute('r')).toMatchObject({ status: 'cancelled', error: { message: 'enough' } });
    });

    it('S4 DK-62 stops a body of this process that is cancelled while it waits for its own effect', async () => {
      const app = application(journal, { now: clock });
      const slow = counted('slow');
      const retry = { attempts: 1, initialDelay: 20_000, jitter: 'none' };
      const fail = counted('fail', () => {
        throw new Error('again');
      });
      const one = await app.workflow({
        steps: [
          { name: 'f', invoke: fail.instance, retry },
          { name: 's', invoke: slow.instance },
        ],
      });
      const { done } = await one.start({ runId: 'r' });
      await vi.waitFor(async () => expect(await keys(journal, 'r')).toContain('steps/f/retry[0]'));
      const cancel = await app.make('DurableLocal.Cancel', 'cancel', { journal: JOURNAL, run: 'r' });
      await cancel.invoke?.({});

      expect(await done).toMatchObject({ status: 'cancelled' });
      expect([fail.calls.length, slow.calls.length]).toEqual([1, 0]);
    });

    it('S1 DK-63 makes a parked run due and records why; it parks at the same wait again', async () => {
      const { app, one } = await parked();
      const resume = await app.make('DurableLocal.Resume', 'resume', {
        workflow: { kind: 'DurableLocal.Workflow', name: 'main' },
        reason: 'look',
      });

      expect(await resume.invoke?.({ run: 'r' })).toEqual({ run: 'r', resumed: true });
      expect(await journal.dueRuns(now, 10)).toEqual(['r']);
      expect(await keys(journal, 'r')).toContain(`override/resume/${now}`);
      expect(await one.execute('r')).toMatchObject({ status: 'parked', waits: [{ token: 'ask-1' }] });
      await expect(resume.invoke?.({ run: 'nobody' })).rejects.toMatchObject({ code: 'ERR_DURABLE_RUN_NOT_FOUND' });
      await journal.cancelRun('r');
      expect(await resume.invoke?.({ run: 'r' })).toEqual({ run: 'r', resumed: false, status: 'cancelled' });
    });
  });

  describe('DurableLocal.Schedule', () => {
    const WORKFLOW = { kind: 'DurableLocal.Workflow', name: 'main' };
    const given = (scope: { inputs: unknown }): unknown => scope.inputs;

    async function scheduling(fields: Readonly<Record<string, unknown>>) {
      const app = application(journal, { now: clock });
      const effect = counted('later');
      const steps = [{ name: 'x', invoke: effect.instance, inputs: given }];
      const one = await app.workflow({ steps, inputs: given });
      const schedule = await app.make('DurableLocal.Schedule', 'schedule', { workflow: WORKFLOW, ...fields });
      const sweeper = new Sweeper(one, { log: app.fake('log', 'x').context.log, now: clock });
      return { one, effect, sweeper, schedule: (inputs: unknown) => schedule.invoke?.(inputs) };
    }

    it('S1 DK-64 admits a run that is performed once it is due, with the inputs it was admitted with', async () => {
      const { one, effect, sweeper, schedule } = await scheduling({ runId: 'r', after: '1h', inputs: given });
      const dueAt = now + 3_600_000;

      expect(await schedule({ n: 1 })).toEqual({ runId: 'r', scheduled: true, dueAt });
      expect(await journal.readRun('r')).toMatchObject({ status: 'scheduled', dueAt, inputs: { n: 1 } });
      expect(await one.execute('r')).toMatchObject({ status: 'scheduled' });
      expect(await sweeper.sweep()).toEqual([]);
      expect(effect.calls).toEqual([]);

      now = dueAt;
      expect(await sweeper.sweep()).toMatchObject([{ run: 'r', status: 'completed' }]);
      expect(await sweeper.sweep()).toEqual([]);
      expect(effect.calls).toHaveLength(1);
      expect(await keys(journal, 'r')).toEqual(['inputs', 'steps/x/inputs', 'steps/x']);
    });

    it('DK-65 leaves a run of that id as it is, and says how it stands', async () => {
      const { schedule, one } = await scheduling({ runId: 'r', at: '2030-01-01T00:00:00Z' });
      const dueAt = Date.parse('2030-01-01T00:00:00Z');
      expect(await schedule({})).toEqual({ runId: 'r', scheduled: true, dueAt });
      expect(await schedule({})).toEqual({ runId: 'r', scheduled: false, status: 'scheduled' });
      expect(await journal.readRun('r')).toMatchObject({ dueAt });
      await journal.admitRun('other', { program: { ...one.program, workflow: 'other' } });
      const taken = await scheduling({ runId: 'other', at: dueAt });
      await expect(taken.schedule({})).rejects.toMatchObject({ code: 'ERR_DURABLE_RUN_EXISTS' });
    });

    it('DK-65 names a run as its workflow does where no id is stated', async () => {
      const { schedule } = await scheduling({ after: '1s' });
      expect(await schedule({})).toMatchObject({
        runId: expect.stringMatching(/^main:[0-9a-f-]{36}$/),
        scheduled: true,
      });
    });

    it.each([
      ['neither', {}, 'ERR_DURABLE_SCHEDULE_INVALID'],
      ['both', { after: '1s', at: 5 }, 'ERR_DURABLE_SCHEDULE_INVALID'],
      ['no date', { at: 'tomorrow' }, 'ERR_DURABLE_SCHEDULE_INVALID'],
      ['no instant', { at: true }, 'ERR_DURABLE_SCHEDULE_INVALID'],
      ['no duration', { after: 'soon' }, 'ERR_INVALID_VALUE'],
      ['an empty id', { after: '1s', runId: '' }, 'ERR_DURABLE_RUN_ID_INVALID'],
    ])('DK-66 refuses %s and admits nothing', async (_what, fields, code) => {
      const { schedule } = await scheduling(fields);
      await expect(schedule({})).rejects.toMatchObject({ code });
      expect(await journal.listRuns()).toEqual([]);
    });

    it('DK-64 takes epoch milliseconds as number or integer, past ones too', async () => {
      for (const at of [now - 1, BigInt(now - 1)]) {
        const { schedule, sweeper } = await scheduling({ runId: `r${typeof at}`, at });
        expect(await schedule({})).toMatchObject({ scheduled: true, dueAt: now - 1 });
        expect(await sweeper.sweep()).toHaveLength(1);
      }
    });
  });

  describe('DurableLocal.Resumer', () => {
    it('S9 DK-55 executes what is due, and nothing else', async () => {
      const app = application(journal, { now: clock });
      const sleep = await app.make('Durable.Sleep', 'sleep', { for: '1h' });
      const one = await app.workflow({ steps: [{ name: 'x', invoke: sleep }] });
      for (const runId of ['a', 'b']) await (await one.start({ runId })).done;
      const resumer = await app.make('DurableLocal.Resumer', 'resumer', {
        workflow: { kind: 'DurableLocal.Workflow', name: 'main' },
      });
      const sweeper = new Sweeper(one, { log: app.fake('log', 'x').context.log, now: clock });

      expect(await sweeper.sweep()).toEqual([]);
      now += 3_600_000;
      await resumer.run?.(UNCANCELLABLE_CONTEXT);
      await vi.waitFor(async () => expect(await journal.listRuns({ status: 'completed' })).toHaveLength(2));
      resumer.teardown?.();
    });

    it('S4 DK-56 does not try a blocked run again, nor the run of another workflow, and they hide nothing', async () => {
      const blocked = counted('blocked', () => {
        throw Object.assign(new Error('changed'), { code: 'ERR_XMD_POLICY_CHANGED', data: { resumable: true } });
      });
      const app = application(journal, { now: clock });
      const steps = [
        { name: 'x', invoke: blocked.instance, when: (scope: { inputs: { bad: boolean } }) => scope.inputs.bad },
      ];
      const one = await app.workflow({ inputs: (scope: { inputs: unknown }) => scope.inputs, steps });
      const admit = (run: string, inputs: unknown, workflow: string) =>
        journal.admitRun(run, { inputs, program: { ...one.program, workflow } });
      for (let index = 0; index < 12; index += 1) await admit(`bad-${index}`, { bad: true }, 'main');
      for (let index = 0; index < 12; index += 1) await admit(`other-${index}`, {}, 'other');
      await admit('good', { bad: false }, 'main');
      const sweeper = new Sweeper(one, { log: app.fake('log', 'x').context.log, now: clock });
      await sweeper.sweep();
      await sweeper.sweep();

      expect(blocked.calls).toHaveLength(12);
      expect(await journal.readRun('good')).toMatchObject({ status: 'completed' });
      expect(await journal.readRun('bad-0')).toMatchObject({
        status: 'running',
        problem: { code: 'ERR_XMD_POLICY_CHANGED' },
      });
    });
  });
});

describe('long timers', () => {
  it.each([30, 400])('S8 DK-23 fires a timer of %i days when it is due and not at once', (days) => {
    vi.useFakeTimers();
    let fired = 0;
    startTimer(days * DAY_MS, () => (fired += 1), { holdsProcess: false });
    vi.advanceTimersByTime(days * DAY_MS - 1);
    const before = fired;
    vi.advanceTimersByTime(1);
    vi.useRealTimers();

    expect([before, fired]).toEqual([0, 1]);
  });
});

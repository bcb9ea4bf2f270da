import { createCancellationSource, InvokeError } from '@telorun/sdk';
import type { FencedJournal } from '@telorun/sdk/journal';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { application, counted } from './application.ts';
import { keys } from './bench.ts';
import { journals } from './journals.ts';
import type { Place } from './journals.ts';

describe.each(journals)('DurableLocal.Workflow over a $name journal', ({ open }) => {
  let place: Place;
  let journal: FencedJournal;
  beforeEach(async () => {
    place = open();
    journal = await place.connect();
  });
  afterEach(() => place.dispose());

  const runId = (scope: { inputs: { id: string } }): string => `release:${scope.inputs.id}`;

  it('S1 DK-11 DK-12 admits, answers at once, executes in the background and completes', async () => {
    const effect = counted('publish');
    const flow = await application(journal).workflow({
      runId,
      inputs: { version: (scope: { inputs: { id: string } }) => scope.inputs.id },
      steps: [{ name: 'publish', invoke: effect.instance, inputs: (scope: { inputs: unknown }) => scope.inputs }],
    });

    expect(await flow.invoke?.({ id: '1' })).toEqual({ runId: 'release:1', started: true, status: 'running' });
    await vi.waitFor(async () => expect(await journal.readRun('release:1')).toMatchObject({ status: 'completed' }));
    expect(await flow.invoke?.({ id: '1' })).toEqual({
      runId: 'release:1',
      attached: true,
      status: 'completed',
      result: { steps: { publish: { result: 'publish' } } },
    });
    expect(effect.calls).toEqual([{ version: '1' }]);
    expect(await keys(journal, 'release:1')).toEqual(['inputs', 'steps/publish/inputs', 'steps/publish']);
  });

  it('S1 keeps the inputs of the call from the admission on, so that a crash before the first entry loses nothing', async () => {
    const steps = [{ name: 'v', value: (scope: { inputs: unknown }) => scope.inputs }];
    const inputs = { version: (scope: { inputs: { id: string } }) => scope.inputs.id };
    const flow = await application(journal).workflow({ runId, inputs, steps });
    await journal.admitRun('release:7', { inputs: { id: '7' }, program: flow.program });

    expect(await flow.execute('release:7')).toMatchObject({
      status: 'completed',
      result: { steps: { v: { result: { version: '7' } } } },
    });
  });

  it('S1 DK-10 gives a run without a stated id a fresh one, and refuses an empty one', async () => {
    const flow = await application(journal).workflow({ steps: [] });
    const started = await flow.start({});

    expect(started.runId).toMatch(/^main:[0-9a-f-]{36}$/);
    expect(await started.done).toMatchObject({ status: 'completed', result: { steps: {} } });
    await expect(flow.start({ runId: '' })).rejects.toMatchObject({ code: 'ERR_DURABLE_RUN_ID_INVALID' });
  });

  it('S1 DK-14 rethrows the recorded failure to a caller that attaches', async () => {
    const fail = counted('fail', () => {
      throw new InvokeError('ERR_TEST', 'broken');
    });
    const flow = await application(journal).workflow({ runId, steps: [{ name: 'fail', invoke: fail.instance }] });
    const { done } = await flow.start({ inputs: { id: '1' } });
    expect(await done).toMatchObject({ status: 'failed', error: { code: 'ERR_TEST' } });

    await expect(flow.invoke?.({ id: '1' })).rejects.toMatchObject({
      code: 'ERR_TEST',
      message: 'broken',
      data: { run: 'release:1' },
    });
    expect(fail.calls).toHaveLength(1);
  });

  it('S1 DK-13 refuses an existing run where it may not join; a new id is taken', async () => {
    const flow = await application(journal).workflow({ runId, onConflict: 'reject', steps: [] });
    await (
      await flow.start({ inputs: { id: '1' } })
    ).done;

    await expect(flow.invoke?.({ id: '1' })).rejects.toMatchObject({
      code: 'ERR_DURABLE_RUN_EXISTS',
      data: { run: 'release:1', status: 'completed' },
    });
    expect((await flow.start({ inputs: { id: '2' } })).admitted).toBe(true);
  });

  it('S1 DK-13 refuses the run of another workflow under the same id', async () => {
    await (
      await (
        await application(journal, { name: 'other' }).workflow({ runId, steps: [] })
      ).start({ inputs: { id: '1' } })
    ).done;
    const flow = await application(journal).workflow({ runId, steps: [] });

    await expect(flow.start({ inputs: { id: '1' } })).rejects.toMatchObject({ code: 'ERR_DURABLE_RUN_EXISTS' });
  });

  it('S4 DK-15 never executes a cancelled run again', async () => {
    const effect = counted('publish');
    const flow = await application(journal).workflow({ runId, steps: [{ name: 'publish', invoke: effect.instance }] });
    await journal.admitRun('release:1', { inputs: { id: '1' }, program: flow.program });
    await journal.cancelRun('release:1', 'enough');

    expect(await flow.invoke?.({ id: '1' })).toEqual({ runId: 'release:1', attached: true, status: 'cancelled' });
    expect(await flow.execute('release:1')).toMatchObject({
      status: 'cancelled',
      error: { code: 'ERR_DURABLE_RUN_CANCELLED' },
    });
    expect(effect.calls).toEqual([]);
  });

  it('S4 refuses a run that another process executes, and takes it once it is given back', async () => {
    const flow = await application(journal).workflow({ runId, steps: [] });
    await journal.admitRun('release:1', { inputs: { id: '1' }, program: flow.program });
    const other = await place.connect();
    await other.claimRun('release:1', 'other', 60_000);

    await expect(flow.execute('release:1')).rejects.toMatchObject({
      code: 'ERR_DURABLE_RUN_BUSY',
      data: { run: 'release:1' },
    });
    await expect(flow.start({ inputs: { id: '1' } })).rejects.toMatchObject({ code: 'ERR_DURABLE_RUN_BUSY' });
    expect(await flow.invoke?.({ id: '1' })).toEqual({ runId: 'release:1', attached: true, status: 'running' });
    await other.releaseRun('release:1');
    expect(await flow.execute('release:1')).toMatchObject({ status: 'completed' });
  });

  it('S4 executes a run once when two processes resume it at once', async () => {
    let count = 0;
    const flowIn = async (connected: FencedJournal) => {
      const effect = counted('publish', async () => (count += 1));
      return application(connected).workflow({ runId, steps: [{ name: 'publish', invoke: effect.instance }] });
    };
    const [one, two] = [await flowIn(journal), await flowIn(await place.connect())];
    for (let round = 0; round < 50; round += 1) {
      const run = `release:${round}`;
      await journal.admitRun(run, { inputs: { id: `${round}` }, program: one.program });
      await Promise.allSettled([one.execute(run), two.execute(run)]);
      expect(await journal.readRun(run)).toMatchObject({ status: 'completed' });
    }

    expect(count).toBe(50);
  });

  it('S1 says which run it does not know', async () => {
    const flow = await application(journal).workflow({ steps: [] });

    await expect(flow.execute('nobody')).rejects.toMatchObject({
      code: 'ERR_DURABLE_RUN_NOT_FOUND',
      data: { run: 'nobody' },
    });
  });

  it('S1 DK-16 refuses a changed workflow, unless it is forced, and records that; the unchanged one resumes', async () => {
    let digest = 'sha256:one';
    const effect = counted('publish');
    const app = application(journal, { digest: () => digest });
    const flow = await app.workflow({ runId, steps: [{ name: 'publish', invoke: effect.instance }] });
    await journal.admitRun('release:1', { inputs: { id: '1' }, program: flow.program });
    await journal.admitRun('release:2', { inputs: { id: '2' }, program: flow.program });
    expect(await flow.execute('release:2')).toMatchObject({ status: 'completed' });
    digest = 'sha256:two';

    const changed = { code: 'ERR_DURABLE_MANIFEST_CHANGED', data: { recorded: 'sha256:one', reached: 'sha256:two' } };
    await expect(flow.execute('release:1')).rejects.toMatchObject(changed);
    await expect(flow.start({ inputs: { id: '1' } })).rejects.toMatchObject(changed);
    expect(effect.calls).toHaveLength(1);
    expect(await keys(journal, 'release:1')).toEqual([]);

    expect(await flow.execute('release:1', { force: true, reason: 'typo' })).toMatchObject({ status: 'completed' });
    const [forced] = await journal.readEntries('release:1');
    expect(forced).toMatchObject({ kind: 'decision', value: { reason: 'typo', digest: 'sha256:two' } });
    expect(forced?.path).toMatch(/^override\/force\/\d+$/);
  });

  it('S1 asks for one force for one version of a workflow', async () => {
    let digest = 'sha256:one';
    const app = application(journal, { digest: () => digest });
    const ask = await app.make('Durable.Await', 'ask', { token: 'ask-1' });
    const flow = await app.workflow({ runId, steps: [{ name: 'ask', invoke: ask }] });
    await journal.admitRun('release:1', { inputs: { id: '1' }, program: flow.program });
    digest = 'sha256:two';
    expect(await flow.execute('release:1', { force: true })).toMatchObject({ status: 'parked' });
    await journal.answer({ token: 'ask-1' }, 'yes');
    digest = 'sha256:three';
    await expect(flow.execute('release:1')).rejects.toMatchObject({ code: 'ERR_DURABLE_MANIFEST_CHANGED' });
    digest = 'sha256:two';

    expect(await flow.execute('release:1')).toMatchObject({ status: 'completed' });
  });

  it('S4 stops at the next effect when the kernel is cancelled, and a later process goes on', async () => {
    const root = createCancellationSource();
    const first = counted('first', () => root.cancel('interrupted'));
    const second = counted('second');
    const steps = [
      { name: 'first', invoke: first.instance },
      { name: 'second', invoke: second.instance },
    ];
    const flow = await application(journal, { root }).workflow({ runId, steps });
    const { done } = await flow.start({ inputs: { id: '1' } });
    expect(await done).toEqual({ run: 'release:1', status: 'running' });
    expect(second.calls).toEqual([]);

    const next = await application(await place.connect()).workflow({ runId, steps });
    expect(await next.execute('release:1')).toMatchObject({ status: 'completed' });
    expect([first.calls.length, second.calls.length]).toEqual([1, 1]);
  });

  it('S4 runs no catch branch of the author for a lost claim', async () => {
    const other = await place.connect();
    const lose = counted('lose', () => other.cancelRun('release:1'));
    const repair = counted('repair');
    const flow = await application(journal).workflow({
      runId,
      steps: [
        {
          name: 't',
          try: [{ name: 'lose', invoke: lose.instance }],
          catch: [{ name: 'repair', invoke: repair.instance }],
        },
      ],
    });
    const { done } = await flow.start({ inputs: { id: '1' } });

    expect(await done).toMatchObject({ status: 'cancelled', problem: { code: 'ERR_DURABLE_CLAIM_LOST' } });
    expect(repair.calls).toEqual([]);
  });
});

import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isSuspension, parkRun } from '@telorun/sdk';
import type { DurableRunHandle, ResourceInstance } from '@telorun/sdk';
import type { DurableJournal } from '@telorun/sdk/journal';
import { describe, expect, it, onTestFinished } from 'vitest';
import { TeloWorkflow, teloCancel, teloDeliver, teloResume } from '../../support/telo-workflow.ts';
import { codeOf, makeFolder } from './fixture.ts';

interface Kind {
  create(resource: unknown, ctx: { env: Record<string, string> }): Promise<DurableJournal & ResourceInstance>;
}

const BUNDLE = resolve(import.meta.dirname, '../../../manifests/durable-journal-sqlite/dist/journal-sqlite.mjs');

/** The instance that a kernel gets of the built bundle; each counts as another process. */
async function instance(file: string): Promise<DurableJournal & ResourceInstance> {
  const { Journal }: { Journal: Kind } = await import(pathToFileURL(BUNDLE).href);
  const journal = await Journal.create(
    { kind: 'DurableJournalSqlite.Journal', metadata: { name: 'runs' }, file },
    { env: {} },
  );
  onTestFinished(async () => {
    await journal.teardown?.();
  });
  return journal;
}

const newFile = (): string => join(makeFolder(), 'runs.db');

/** Three steps with a question between the second and the third; what was performed, over all executions. */
function order() {
  const performed: string[] = [];
  const effect = (handle: DurableRunHandle, name: string) =>
    handle.step(`steps/${name}`, { kind: 'Shop.Call', name, module: 'file:///shop/telo.yaml' }, {}, async () => {
      performed.push(name);
      return { name, count: 3n };
    });
  const body = async (handle: DurableRunHandle): Promise<unknown> => {
    const reserve = { result: await effect(handle, 'reserve') };
    await effect(handle, 'announce');
    const ask = await handle.step('steps/ask', { kind: 'Durable.Await', name: 'ask' }, {}, async () => {
      const token = await handle.decide('steps/ask/token', 'value', () => `token of ${handle.runId}`);
      return parkRun(handle, { path: 'steps/ask', resource: 'ask' }, { token });
    });
    await effect(handle, 'ship');
    return { reserve, ask: { result: ask } };
  };
  return { performed, body };
}

const ORDER = ['inputs', 'steps/reserve', 'steps/announce', 'steps/ask/token', 'steps/ask', 'steps/ship'];

describe("the built journal under a Telo kernel's own workflow", () => {
  it("J-38 an instance has every method of Telo's contract, and no name that a kernel takes for a capability", async () => {
    const journal = await instance(newFile());
    const methods = [
      'admitRun',
      'readRun',
      'readEntries',
      'append',
      'completeRun',
      'parkRun',
      'unparkRun',
      'runParkedOn',
    ];
    const all = [...methods, 'dueRuns', 'claimRun', 'writesInside', 'onWake'];
    expect(all.filter((name) => typeof Reflect.get(journal, name) !== 'function')).toEqual([]);
    expect(['invoke', 'run', 'provide', 'register', 'init'].filter((name) => name in journal)).toEqual([]);
  });

  it('J-38 a run parks, takes its answer from another process, and goes on there without repeating anything', async () => {
    const file = newFile();
    const [here, there] = [await instance(file), await instance(file)];
    const { performed, body } = order();
    const [first, second] = [new TeloWorkflow(here, body), new TeloWorkflow(there, body)];

    expect(await first.invoke('order:1')).toEqual({ runId: 'order:1', started: true, status: 'running' });
    expect(await there.readRun('order:1')).toMatchObject({
      run: 'order:1',
      status: 'parked',
      parked: { path: 'steps/ask', resource: 'ask', token: 'token of order:1' },
    });
    expect(await second.sweep(Date.now())).toEqual([]);
    expect(await teloDeliver(there, 'token of order:2', 'no')).toEqual({ delivered: false });
    expect(await teloDeliver(there, 'token of order:1', { ok: true })).toEqual({ delivered: true, run: 'order:1' });
    expect(await teloDeliver(here, 'token of order:1', 'again')).toEqual({ delivered: false });

    expect(await second.sweep(Date.now())).toEqual(['order:1']);
    expect(performed).toEqual(['reserve', 'announce', 'ship']);
    const entries = await here.readEntries('order:1');
    expect(entries.map(({ path }) => path)).toEqual(ORDER);
    expect(entries[1]).toEqual({
      path: 'steps/reserve',
      kind: 'step',
      target: { kind: 'Shop.Call', name: 'reserve', module: 'file:///shop/telo.yaml' },
      value: { name: 'reserve', count: 3n },
    });
    expect(await first.invoke('order:1')).toEqual({
      runId: 'order:1',
      attached: true,
      status: 'completed',
      result: { steps: { reserve: { result: { name: 'reserve', count: 3n } }, ask: { result: { ok: true } } } },
    });
  });

  it('J-38 of two processes one executes; the other attaches, and an owner that renews stays the owner', async () => {
    const file = newFile();
    const [here, there] = [await instance(file), await instance(file)];
    const both = order();
    const seen: unknown[] = [];
    const first: TeloWorkflow = new TeloWorkflow(here, async (handle) => {
      seen.push(await new TeloWorkflow(there, both.body).invoke(handle.runId));
      seen.push(await first.renew(handle.runId));
      expect(await codeOf(() => there.append(handle.runId, { path: 'steps/late', kind: 'step', value: 1 }))).toBe(
        'ERR_DURABLE_CLAIM_LOST',
      );
      return {};
    });
    await first.invoke('r');
    expect(seen).toEqual([{ runId: 'r', attached: true, status: 'running' }, true]);
    expect(both.performed).toEqual([]);
    expect(await there.readRun('r')).toMatchObject({ status: 'completed' });
  });

  it('J-38 waits of two branches are answered in turn, each at its own place, never the one for the other', async () => {
    const file = newFile();
    const [here, there] = [await instance(file), await instance(file)];
    const branch = (handle: DurableRunHandle, name: string) =>
      handle.step(`steps/${name}`, undefined, {}, () =>
        parkRun(handle, { path: `steps/${name}`, resource: name }, { token: `token ${name}` }),
      );
    const nap = (handle: DurableRunHandle, at: number) =>
      handle.step('steps/nap', undefined, {}, () => parkRun(handle, { path: 'steps/nap', resource: 'nap' }, { at }));
    const workflow = new TeloWorkflow(here, async (handle) => {
      const at = await handle.decide('steps/nap/wakeAt', 'value', () => Date.now() + 3_600_000);
      const settled = await Promise.allSettled([nap(handle, at), branch(handle, 'a'), branch(handle, 'b')]);
      for (const one of settled) {
        if (one.status === 'rejected' && (isSuspension(one.reason) || one.reason instanceof Error)) throw one.reason;
      }
      return settled.map((one) => one.status === 'fulfilled' && one.value);
    });
    await workflow.invoke('r');

    // What Telo's record shows is one wait: an answer to another must not land there.
    expect((await there.readRun('r'))?.parked).toMatchObject({ path: 'steps/a', token: 'token a' });
    expect(await teloDeliver(there, 'token b', 'for b')).toEqual({ delivered: false });
    expect(await teloDeliver(there, 'token a', 'for a')).toEqual({ delivered: true, run: 'r' });
    expect(await teloDeliver(there, 'token b', 'for b')).toEqual({ delivered: false });
    await workflow.sweep(Date.now());
    expect(await teloDeliver(there, 'token b', 'for b')).toEqual({ delivered: true, run: 'r' });
    await workflow.sweep(Date.now());
    const values = new Map((await there.readEntries('r')).map(({ path, value }) => [path, value]));
    expect([values.get('steps/a'), values.get('steps/b'), values.has('steps/nap')]).toEqual(['for a', 'for b', false]);
    expect((await there.readRun('r'))?.parked).toMatchObject({ path: 'steps/nap' });
  });

  it('J-38 a scheduled run is due at its time and executes then', async () => {
    const file = newFile();
    const [here, there] = [await instance(file), await instance(file)];
    const { performed, body } = order();
    const workflow = new TeloWorkflow(here, body);
    const dueAt = Date.now() + 1_000;
    expect(await new TeloWorkflow(there, body).schedule('r', { dueAt, inputs: { id: 7n } })).toBe(true);
    expect(await workflow.schedule('r', { dueAt: 1 })).toBe(false);
    expect(await here.readRun('r')).toMatchObject({ status: 'scheduled', dueAt, inputs: { id: 7n } });
    expect(await workflow.sweep(dueAt - 1)).toEqual([]);
    expect(await workflow.sweep(dueAt)).toEqual(['r']);
    expect(performed).toEqual(['reserve', 'announce']);
  });

  it('J-38 an operator without a claim resumes a run that nobody executes, and none that somebody does or that is over', async () => {
    const file = newFile();
    const [here, there] = [await instance(file), await instance(file)];
    const { performed, body } = order();
    const workflow = new TeloWorkflow(here, body);
    await workflow.invoke('r');

    expect(await teloResume(there, 'r', 'look again')).toBe(true);
    expect(await workflow.sweep(Date.now())).toEqual(['r']);
    // It waits as before: what it asks has no answer yet.
    expect(await there.readRun('r')).toMatchObject({ status: 'parked' });
    expect(performed).toEqual(['reserve', 'announce']);
    const noted = (await here.readEntries('r')).filter(({ path }) => path.startsWith('override/resume/'));
    expect(noted).toMatchObject([{ kind: 'decision', decision: 'value', value: { reason: 'look again' } }]);

    await here.claimRun('r', 'somebody', 60_000);
    expect(await codeOf(() => teloResume(there, 'r', 'again'))).toBe('ERR_DURABLE_CLAIM_LOST');
    await teloCancel(there, 'r', 'enough');
    expect(await codeOf(() => teloResume(there, 'r', 'again'))).toBe('ERR_DURABLE_CLAIM_LOST');
    const other = { path: 'override/else/1', kind: 'decision', decision: 'value', value: 1 } as const;
    await here.admitRun('s');
    expect(await codeOf(() => there.append('s', other))).toBe('ERR_DURABLE_CLAIM_LOST');
  });

  it('J-38 a cancelled run is taken from whoever executes it: nothing more is recorded, and it never completes', async () => {
    const file = newFile();
    const [here, there] = [await instance(file), await instance(file)];
    const { performed, body } = order();
    const workflow = new TeloWorkflow(here, async (handle) => {
      await teloCancel(there, handle.runId, 'not any more');
      return body(handle);
    });
    expect(await codeOf(() => workflow.invoke('r'))).toBe('ERR_DURABLE_CLAIM_LOST');
    expect(await there.readRun('r')).toMatchObject({
      status: 'cancelled',
      error: { code: 'ERR_DURABLE_RUN_CANCELLED', message: 'not any more' },
    });
    expect((await there.readEntries('r')).map(({ path }) => path)).toEqual(['inputs']);
    expect(performed).toEqual(['reserve']);
    // Telo would execute it again; here what is settled stays so.
    expect(await new TeloWorkflow(there, body).invoke('r')).toMatchObject({ attached: true, status: 'cancelled' });
  });
});

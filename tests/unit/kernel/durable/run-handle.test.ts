import { createCancellationSource, InvokeError, NEVER_CANCELLED, parkRun } from '@telorun/sdk';
import type { FencedJournal } from '@telorun/sdk/journal';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { JournaledRunHandle } from '../../../../kernel/durable/run-handle.ts';
import type { KernelEvent } from '../../../../kernel/events.ts';
import { MemoryStore } from '../../../support/memory-journal.ts';
import { journals } from './journals.ts';
import type { Place } from './journals.ts';

const READ = { kind: 'Test.Read', name: 'read', module: 'app' };

describe.each(journals)('run handle over a $name journal', ({ open }) => {
  let place: Place;
  let journal: FencedJournal;
  let events: KernelEvent[];

  beforeEach(async () => {
    place = open();
    journal = await place.connect();
    events = [];
    await journal.admitRun('run-1');
    await journal.claimRun('run-1', 'me', 60_000);
  });
  afterEach(() => place.dispose());

  const handle = (cancellation = NEVER_CANCELLED) =>
    JournaledRunHandle.open({ run: 'run-1', journal, cancellation, emit: (event) => void events.push(event) });

  it('S1 performs a step once and answers what it recorded, in this execution and the next', async () => {
    let performed = 0;
    const read = async (): Promise<unknown> => ((performed += 1), { at: new Date(0), n: 3n });
    const first = await (await handle()).step('steps/a', READ, {}, read);
    const again = await (await handle()).step('steps/a', READ, {}, read);

    expect(first).toEqual({ at: '1970-01-01T00:00:00.000Z', n: 3n });
    expect(again).toEqual(first);
    expect(performed).toBe(1);
    expect(events.map(({ type }) => type)).toEqual(['effect.begun', 'entry.recorded', 'entry.replayed']);
  });

  it.each([
    { what: 'kind', reached: { ...READ, kind: 'Test.Write' } },
    { what: 'name', reached: { ...READ, name: 'other' } },
    { what: 'module', reached: { ...READ, module: 'elsewhere' } },
  ])('S1 refuses a record of another $what, and performs nothing', async ({ reached }) => {
    await (await handle()).step('steps/a', READ, {}, async () => 1);
    let performed = 0;

    const attempt = (await handle()).step('steps/a', reached, {}, async () => (performed += 1));

    await expect(attempt).rejects.toMatchObject({
      code: 'ERR_JOURNAL_ENTRY_MISMATCH',
      data: { run: 'run-1', path: 'steps/a', recorded: READ, reached },
    });
    expect(performed).toBe(0);
  });

  it('S1 takes a record without a module, and a caller without a target', async () => {
    await (await handle()).step('steps/a', { kind: READ.kind, name: READ.name }, {}, async () => 1);
    const next = await handle();

    expect(await next.step('steps/a', READ, {}, async () => 2)).toBe(1);
    expect(await next.step('steps/a', undefined, {}, async () => 2)).toBe(1);
  });

  it('S1 refuses a decision where a step is recorded, and a step where a decision is', async () => {
    const first = await handle();
    await first.step('steps/a', READ, {}, async () => 1);
    await first.decide('steps/b', 'value', () => 2);

    await expect(first.decide('steps/a', 'value', () => 3)).rejects.toMatchObject({
      code: 'ERR_JOURNAL_ENTRY_MISMATCH',
    });
    await expect(first.step('steps/b', READ, {}, async () => 3)).rejects.toMatchObject({
      code: 'ERR_JOURNAL_ENTRY_MISMATCH',
    });
  });

  it('S1 refuses two calls at one path at once; one after the other replays', async () => {
    const one = await handle();
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    const running = one.step('steps/a', READ, {}, async () => (await held, 'first'));

    await expect(one.step('steps/a', READ, {}, async () => 'second')).rejects.toMatchObject({
      code: 'ERR_DURABLE_PATH_BUSY',
    });
    release();
    await running;

    expect(await one.step('steps/a', READ, {}, async () => 'third')).toBe('first');
  });

  it('S1 records nothing for an effect that failed, and performs it again', async () => {
    const one = await handle();
    const failing = one.step('steps/a', READ, {}, async () => {
      throw new InvokeError('ERR_TEST', 'no');
    });
    await expect(failing).rejects.toMatchObject({ code: 'ERR_TEST' });

    expect(one.recorded('steps/a')).toBe(false);
    expect(await one.step('steps/a', READ, {}, async () => 'now')).toBe('now');
    expect(events.map(({ type }) => type)).toContain('effect.failed');
  });

  it('S2 decides once and answers the value verbatim from then on', async () => {
    let computed = 0;
    const compute = (): unknown => ((computed += 1), { when: computed, list: [1n, 'x', null, false, 0, ''] });
    const first = await (await handle()).decide('steps/a/when', 'predicate', compute);
    const replayed = await (await handle()).decide('steps/a/when', 'predicate', compute);

    expect(replayed).toEqual({ when: 1, list: [1n, 'x', null, false, 0, ''] });
    expect(first).toEqual(replayed);
    expect(computed).toBe(1);
  });

  it('S2 refuses a promise as a decision; the awaited value is taken', async () => {
    const one = await handle();
    await expect(one.decide('steps/a', 'value', () => Promise.resolve(1))).rejects.toMatchObject({
      code: 'ERR_DURABLE_DECISION_ASYNC',
    });

    expect(await journal.readEntries('run-1')).toEqual([]);
    expect(await one.decide('steps/a', 'value', () => 1)).toBe(1);
  });

  it.each<[string, unknown]>([
    ['a function', { run: () => 1 }],
    ['a symbol', [Symbol('x')]],
    ['NaN', { n: Number.NaN }],
    ['an infinity', Number.POSITIVE_INFINITY],
    ['a Map', { m: new Map() }],
    ['a Set', new Set()],
    ['an instance of a class', { e: new Error('x') }],
  ])('S6 refuses %s, and the run goes on', async (_name, value) => {
    const one = await handle();
    await expect(one.step('steps/a', READ, {}, async () => value)).rejects.toMatchObject({
      code: 'ERR_DURABLE_UNJOURNALABLE_VALUE',
      data: { run: 'run-1', path: 'steps/a' },
    });

    expect(await one.step('steps/b', READ, {}, async () => 'kept')).toBe('kept');
    expect((await journal.readEntries('run-1')).map(({ path }) => path)).toEqual(['steps/b']);
  });

  it.each([[false], [0], [''], [null], [[]], [{}], [undefined]])('S6 gives %j back as it is', async (value) => {
    const first = await (await handle()).step('steps/a', READ, {}, async () => value);

    expect(first).toEqual(value);
    expect(await (await handle()).step('steps/a', READ, {}, async () => 'again')).toEqual(value);
  });

  it('S3 records a wait with its schema and request, and always throws', async () => {
    const one = await handle();
    const until = { token: 't-1', schema: { type: 'object' }, request: { question: 'Publish?' } };
    const parked = parkRun(one, { path: 'steps/a', resource: 'Durable.Await/ask' }, until);

    await expect(parked).rejects.toMatchObject({ code: 'ERR_DURABLE_SUSPENDED', path: 'steps/a' });
    expect(await journal.readWaits('run-1')).toMatchObject([{ path: 'steps/a', state: 'open', ...until }]);
    expect(await journal.readRun('run-1')).toMatchObject({ status: 'running', claimed: true });
  });

  it('S4 starts nothing once the body is cancelled; what is recorded still replays', async () => {
    await (await handle()).step('steps/a', READ, {}, async () => 1);
    const source = createCancellationSource();
    const one = await handle(source.token);
    source.cancel('interrupted');
    let performed = 0;

    expect(await one.step('steps/a', READ, {}, async () => (performed += 1))).toBe(1);
    await expect(one.step('steps/b', READ, {}, async () => (performed += 1))).rejects.toMatchObject({
      code: 'ERR_INVOKE_CANCELLED',
    });
    await expect(one.decide('steps/c', 'value', () => (performed += 1))).rejects.toMatchObject({
      code: 'ERR_INVOKE_CANCELLED',
    });
    expect(performed).toBe(0);
  });

  it('S4 keeps what an effect did although it was cancelled meanwhile', async () => {
    const source = createCancellationSource();
    const one = await handle(source.token);

    await one.step('steps/a', READ, {}, async () => (source.cancel('interrupted'), 'done'));

    expect((await journal.readEntries('run-1')).map(({ path }) => path)).toEqual(['steps/a']);
  });

  it('S4 DK-04 is dead once its claim is lost: nothing is recorded, nothing starts, the error stays the same', async () => {
    const one = await handle();
    let performed = 0;
    const lost = one.step('steps/a', READ, {}, async () => {
      await (await place.connect()).cancelRun('run-1');
      return 'late';
    });
    await expect(lost).rejects.toMatchObject({ code: 'ERR_DURABLE_CLAIM_LOST' });
    const calls = [
      one.step('steps/b', READ, {}, async () => (performed += 1)),
      one.decide('steps/c', 'value', () => (performed += 1)),
      one.park({ path: 'steps/d', resource: 'x' }, { token: 't' }),
    ];

    for (const call of calls) await expect(call).rejects.toBe(one.fatal);
    expect(performed).toBe(0);
    expect(await journal.readEntries('run-1')).toEqual([]);
    expect(await journal.readWaits('run-1')).toEqual([]);
  });

  it('S9 closes a wait that timed out; an answer that came first wins', async () => {
    const one = await handle();
    await expect(parkRun(one, { path: 'steps/a', resource: 'x' }, { token: 'a', at: 1 })).rejects.toMatchObject({
      code: 'ERR_DURABLE_SUSPENDED',
    });
    await expect(parkRun(one, { path: 'steps/b', resource: 'x' }, { token: 'b', at: 1 })).rejects.toMatchObject({
      code: 'ERR_DURABLE_SUSPENDED',
    });
    await (await place.connect()).answer({ token: 'b' }, { outcome: 'failed' });

    expect(await one.expireWait('steps/a')).toBeUndefined();
    expect(await one.expireWait('steps/b')).toEqual({ value: { outcome: 'failed' } });
    expect(await (await place.connect()).answer({ token: 'a' }, 'late')).toMatchObject({
      delivered: false,
      reason: 'closed',
    });
  });
});

describe('run handle over a failing journal', () => {
  it('S4 DK-05 is dead after a journal error, coded or not', async () => {
    const journal = new MemoryStore().connect();
    await journal.admitRun('run-1');
    await journal.claimRun('run-1', 'me', 60_000);
    const dead: unknown[] = [];
    const one = await JournaledRunHandle.open({
      run: 'run-1',
      journal,
      cancellation: NEVER_CANCELLED,
      emit: () => undefined,
      onDead: (error) => void dead.push(error),
    });
    journal.failure = new InvokeError('ERR_DURABLE_JOURNAL_FULL', 'full');
    await expect(one.step('steps/a', READ, {}, async () => 1)).rejects.toBe(journal.failure);
    journal.failure = undefined;

    await expect(one.step('steps/b', READ, {}, async () => 1)).rejects.toMatchObject({
      code: 'ERR_DURABLE_JOURNAL_FULL',
    });
    expect(dead).toHaveLength(1);
    expect(await journal.readEntries('run-1')).toEqual([]);
  });
});

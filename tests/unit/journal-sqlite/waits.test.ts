import { describe, expect, it } from 'vitest';
import { claimed, codeOf, fileOf, open } from './fixture.ts';

const ask = (path: string, more: object = {}) => ({ path, resource: 'ask', token: `token-${path}`, ...more });
const step = (path: string, value?: unknown) => ({ path, kind: 'step' as const, value });

it('J-31 an entry that the owner appends at an open wait in the middle of its appends closes it', async () => {
  const journal = await claimed();
  await journal.append('r', { path: 'a', kind: 'step', value: 1 });
  for (const path of ['w', 'x']) await journal.recordWait('r', { path, resource: 'sleep', at: 1 });
  await journal.append('r', { path: 'w', kind: 'step', value: 2 });
  expect((await journal.readWaits('r')).map(({ state }) => state)).toEqual(['closed', 'open']);
});

describe('waits', () => {
  it('J-30 S9 recording a wait keeps claim and status, and a second call changes nothing', async () => {
    const journal = await claimed();
    const wait = ask('w', { at: 5, schema: { type: 'string' }, request: { title: 'Publish?' } });
    const record = await journal.recordWait('r', wait);
    expect(record).toMatchObject({ ...wait, run: 'r', state: 'open' });
    expect(await journal.recordWait('r', { ...wait, resource: 'other', token: 'other' })).toEqual(record);
    expect(await journal.readRun('r')).toMatchObject({ status: 'running', claimed: true });
    expect(await journal.append('r', step('sibling'))).toMatchObject({ path: 'sibling' });
  });

  it('J-30 a closed wait that is recorded again is open again', async () => {
    const journal = await claimed();
    await journal.recordWait('r', ask('w'));
    expect(await journal.closeWait('r', 'w')).toBe('closed');
    expect(await journal.answer({ token: 'token-w' }, 1)).toMatchObject({ delivered: false, reason: 'closed' });
    expect(await journal.recordWait('r', ask('w'))).toMatchObject({ state: 'open' });
    expect(await journal.answer({ token: 'token-w' }, 1)).toMatchObject({ delivered: true });
  });

  it('J-31 S9 of an answer and a timeout exactly one counts, whichever comes first', async () => {
    const journal = await claimed();
    const other = await open(fileOf(journal));
    await journal.recordWait('r', ask('a'));
    await journal.recordWait('r', ask('b'));
    await other.answer({ token: 'token-a' }, 'in time');
    expect(await journal.closeWait('r', 'a')).toBe('answered');
    expect(await journal.closeWait('r', 'b')).toBe('closed');
    expect(await other.answer({ token: 'token-b' }, 'late')).toMatchObject({ delivered: false, reason: 'closed' });
    expect(await journal.readEntries('r')).toEqual([step('a', 'in time')]);
  });

  it('J-32 S9 suspending parks the run, due at the first instant of its waits', async () => {
    const journal = await claimed();
    await journal.recordWait('r', ask('a'));
    await journal.recordWait('r', ask('b', { at: Date.now() + 90_000 }));
    await journal.recordWait('r', ask('c', { at: Date.now() + 70_000 }));
    const record = await journal.suspendRun('r');
    expect(record).toMatchObject({ status: 'parked', claimed: false, parked: { path: 'a', token: 'token-a' } });
    expect(await journal.dueRuns(Date.now(), 9)).toEqual([]);
    expect(await journal.dueRuns(Date.now() + 70_001, 9)).toEqual(['r']);
    expect(await codeOf(() => journal.append('r', step('late')))).toBe('ERR_DURABLE_CLAIM_LOST');
  });

  it('J-32 S9 a run whose wait was answered or came due while it executed is due at once', async () => {
    const journal = await claimed();
    await journal.recordWait('r', ask('a'));
    await journal.recordWait('r', ask('b'));
    await journal.answer({ token: 'token-a' }, 1);
    expect(await journal.suspendRun('r')).toMatchObject({ status: 'running', claimed: false });
    expect(await journal.dueRuns(Date.now(), 9)).toEqual(['r']);
    await journal.admitRun('s');
    await journal.claimRun('s', 'h', 60_000);
    await journal.recordWait('s', ask('t', { at: Date.now() - 1 }));
    expect((await journal.suspendRun('s')).status).toBe('running');
  });

  it('J-32 what an earlier execution waited for does not wake a later one', async () => {
    const journal = await claimed();
    await journal.recordWait('r', ask('first'));
    await journal.recordWait('r', { path: 'sleep', resource: 'nap', at: Date.now() - 1 });
    await journal.answer({ token: 'token-first' }, 1);
    await journal.suspendRun('r');
    await journal.claimRun('r', 'h', 60_000);
    await journal.recordWait('r', ask('second'));
    expect(await journal.suspendRun('r')).toMatchObject({ status: 'parked', parked: { path: 'second' } });
    expect((await journal.readWaits('r')).map(({ path, state }) => [path, state])).toEqual([
      ['first', 'answered'],
      ['sleep', 'closed'],
      ['second', 'open'],
    ]);
  });

  it('J-32 an answer that came between reading the entries and recording the wait makes the run due at once', async () => {
    const journal = await claimed();
    await journal.recordWait('r', ask('w'));
    await journal.suspendRun('r');
    await journal.claimRun('r', 'h', 60_000);
    expect(await journal.readEntries('r')).toEqual([]);
    await (await open(fileOf(journal))).answer({ token: 'token-w' }, 1);
    expect(await journal.recordWait('r', ask('w'))).toMatchObject({ state: 'answered' });
    expect((await journal.suspendRun('r')).status).toBe('running');
  });

  it('J-33 the waits of a settled run are closed', async () => {
    const journal = await claimed();
    await journal.recordWait('r', ask('w'));
    await journal.completeRun('r', { status: 'completed' });
    expect(await journal.readWaits('r')).toMatchObject([{ state: 'closed' }]);
    expect(await journal.runParkedOn('token-w')).toBeUndefined();
  });
});

describe("Telo's contract without the extensions", () => {
  it('J-36 a park is delivered to by append and unpark, from the same and from another instance', async () => {
    for (const elsewhere of [false, true]) {
      const journal = await claimed();
      const deliverer = elsewhere ? await open(fileOf(journal)) : journal;
      await journal.parkRun('r', ask('w'));
      expect(await journal.readRun('r')).toMatchObject({ status: 'parked', claimed: false, parked: { path: 'w' } });
      expect(await deliverer.runParkedOn('token-w')).toBe('r');
      await deliverer.append('r', step('w', 'yes'));
      await deliverer.unparkRun('r');
      expect(await journal.readRun('r')).toMatchObject({ status: 'running' });
      expect(await journal.dueRuns(Date.now(), 9)).toEqual(['r']);
      expect(await journal.claimRun('r', 'again', 60_000)).toBe(true);
      expect(await journal.readEntries('r')).toEqual([step('w', 'yes')]);
    }
  });

  it('J-36 siblings of a branch that parked go on, until another execution begins', async () => {
    const journal = await claimed();
    await journal.parkRun('r', ask('a'));
    await journal.append('r', step('sibling'));
    await journal.parkRun('r', { path: 'b', resource: 'nap', at: 7 });
    expect(await journal.dueRuns(8, 9)).toEqual(['r']);
    const other = await open(fileOf(journal));
    await other.claimRun('r', 'o', 60_000);
    expect(await codeOf(() => journal.append('r', step('late')))).toBe('ERR_DURABLE_CLAIM_LOST');
    await journal.append('r', step('a', 'answer'));
    expect(await other.readWaits('r')).toMatchObject([{ path: 'a', state: 'answered' }, { path: 'b' }]);
  });

  it('J-36 a park after an earlier sleep does not keep its instant', async () => {
    const journal = await claimed();
    await journal.parkRun('r', { path: 'sleep', resource: 'nap', at: Date.now() - 5 });
    await journal.claimRun('r', 'h2', 60_000);
    await journal.append('r', step('sleep', { wokeAt: 1 }));
    await journal.parkRun('r', ask('w'));
    expect(await journal.readRun('r')).not.toHaveProperty('dueAt');
    expect(await journal.dueRuns(Date.now() + 1e9, 9)).toEqual([]);
    expect((await journal.readWaits('r')).map(({ state }) => state)).toEqual(['closed', 'open']);
  });

  it('J-36 a park at a path that holds a delivery is due', async () => {
    const journal = await claimed();
    await journal.append('r', step('w', 'early'));
    await journal.parkRun('r', ask('w'));
    expect(await journal.dueRuns(Date.now(), 9)).toEqual(['r']);
  });

  it('J-37 due are the running, the scheduled and the parked whose time has come, without a live claim', async () => {
    const now = Date.now();
    const journal = await open();
    await journal.admitRun('later', { status: 'scheduled', dueAt: now + 1_000 });
    await journal.admitRun('sooner', { status: 'scheduled', dueAt: now - 1_000 });
    await journal.admitRun('running');
    await journal.admitRun('claimed');
    await journal.claimRun('claimed', 'h', 60_000);
    await journal.admitRun('over');
    await journal.cancelRun('over');
    expect(await journal.dueRuns(now, 9)).toEqual(['running', 'sooner']);
    expect(await journal.dueRuns(now, 1)).toEqual(['running']);
    expect(await journal.dueRuns(now + 120_000, Number.MAX_SAFE_INTEGER)).toEqual([
      'running',
      'claimed',
      'sooner',
      'later',
    ]);
  });

  it('J-39 a listener is called for what this instance does, and for what others write', async () => {
    const journal = await claimed();
    const other = await open(fileOf(journal));
    await journal.recordWait('r', ask('w'));
    let calls = 0;
    const local = journal.onWake(() => (calls += 1));
    const heard = new Promise<void>((resolve) => other.onWake(resolve));
    await journal.answer({ token: 'token-w' }, 1);
    expect(calls).toBe(1);
    await heard;
    local();
    await journal.unparkRun('r');
    expect(calls).toBe(1);
  });
});

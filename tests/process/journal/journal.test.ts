import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { openJournal } from '../../../controllers/journal-sqlite/index.ts';
import { startChild, stopped } from './children.ts';

const folders: string[] = [];

function makeFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'journal-process-'));
  folders.push(folder);
  return join(folder, 'runs.db');
}

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

async function reading<T>(file: string, read: (journal: Awaited<ReturnType<typeof openJournal>>) => Promise<T>) {
  const journal = await openJournal({ file });
  try {
    return await read(journal);
  } finally {
    journal.close();
  }
}

describe('many processes on one file', () => {
  it('J-20 S4 three processes race for 60 runs, on a file that none of them has made yet: each run has one owner', async () => {
    const file = makeFile();
    const runs = 60;
    const children = [1, 2, 3].map(() => startChild([file, 'race', String(runs), '5']));
    const ended = await Promise.all(children.map(({ ended: end }) => end));
    expect(ended.map(({ code, stderr }) => [code, stderr])).toEqual([0, 1, 2].map(() => [0, '']));
    const won = ended.flatMap(({ lines }) => lines);
    expect(won.every((line) => typeof line === 'object' && line !== null && 'won' in line)).toBe(true);
    await reading(file, async (journal) => {
      const records = await journal.listRuns({ status: 'completed' });
      expect(records).toHaveLength(runs);
      for (const { run, result } of records) {
        const entries = await journal.readEntries(run);
        expect(entries.map(({ path, value }) => [path, value])).toEqual(
          [0, 1, 2, 3, 4].map((step) => [`s[${step}]`, result]),
        );
      }
    });
  });

  it('J-34 S9 of many answers given at once by many processes exactly one counts', async () => {
    const file = makeFile();
    await startChild([file, 'life']).ended;
    const answers = await Promise.all([1, 2, 3, 4, 5].map((who) => startChild([file, 'answer', String(who)]).ended));
    const receipts = answers.flatMap(({ lines }) => lines);
    expect(receipts.filter((line) => JSON.stringify(line).includes('"delivered":true'))).toHaveLength(1);
    expect(receipts.filter((line) => JSON.stringify(line).includes('"already-answered"'))).toHaveLength(4);
    expect((await startChild([file, 'life']).ended).lines).toEqual([{ done: true }]);
  });
});

describe('an owner that stops or dies', () => {
  it('J-21 S4 an owner stopped past its lease, and continued after another finished, writes nothing', async () => {
    for (const side of ['before', 'after']) {
      for (const stopAt of [3, 5, 8]) {
        const file = makeFile();
        const log = `${file}.log`;
        const owner = startChild([file, 'append', '1', '10'], {
          FAULTS_STOP_AT: String(stopAt),
          FAULTS_SIDE: side,
          FAULTS_LOG: log,
        });
        expect(await owner.line()).toEqual({ claimed: true });
        await stopped(owner.pid);
        const other = await startChild([file, 'append', '60000', '10']).ended;
        expect(other.lines).toEqual([{ claimed: true }, { done: true }]);
        const before = await reading(file, (journal) => journal.readEntries('r'));
        const writes = readFileSync(log, 'utf8');
        process.kill(owner.pid, 'SIGCONT');
        const ended = await owner.ended;
        expect(ended.lines[1]).toMatchObject({ refused: 'ERR_DURABLE_CLAIM_LOST' });
        const late = readFileSync(log, 'utf8').slice(writes.length).split('\n').filter(Boolean);
        // The write after which it was stopped had been made before; only its line in the log comes later.
        expect(late.length).toBeLessThanOrEqual(side === 'after' ? 1 : 0);
        expect(await reading(file, (journal) => journal.readEntries('r'))).toEqual(before);
        expect(before).toHaveLength(10);
      }
    }
  });

  it('J-23 the claim of a killed process counts no longer at once; that of a living or stopped one does', async () => {
    const file = makeFile();
    const owner = startChild([file, 'hold']);
    expect(await owner.line()).toEqual({ claimed: true });
    await reading(file, async (journal) => {
      expect(await journal.claimRun('r', 'other', 1_000)).toBe(false);
      expect(await journal.dueRuns(Date.now(), 9)).toEqual([]);
      process.kill(owner.pid, 'SIGSTOP');
      await stopped(owner.pid);
      expect(await journal.claimRun('r', 'other', 1_000)).toBe(false);
      process.kill(owner.pid, 'SIGKILL');
      expect((await owner.ended).signal).toBe('SIGKILL');
      expect(await journal.readRun('r')).toMatchObject({ status: 'running', claimed: false });
      expect(await journal.dueRuns(Date.now(), 9)).toEqual(['r']);
      expect(await journal.claimRun('r', 'other', 1_000)).toBe(true);
    });
  });
});

async function finish(file: string): Promise<unknown> {
  await startChild([file, 'life']).ended;
  await startChild([file, 'answer', 'yes']).ended;
  await startChild([file, 'life']).ended;
  return reading(file, async (journal) => ({
    record: { ...(await journal.readRun('r')), createdAt: 0, updatedAt: 0 },
    entries: await journal.readEntries('r'),
    waits: (await journal.readWaits('r')).map(({ path, state, token }) => ({ path, state, token })),
  }));
}

describe('a process killed at a write', () => {
  const WRITES = ['admitRun', 'claimRun', 'append', 'append', 'recordWait', 'suspendRun'];
  const RESUMED = ['admitRun', 'claimRun', 'completeRun'];

  it('J-43 the number of writes is pinned', async () => {
    const file = makeFile();
    const log = `${file}.log`;
    const env = { FAULTS_LOG: log };
    await startChild([file, 'life'], env).ended;
    await startChild([file, 'answer', 'yes'], env).ended;
    await startChild([file, 'life'], env).ended;
    const calls = readFileSync(log, 'utf8').trim().split('\n');
    expect(calls.map((line) => line.split('\t')[1])).toEqual([...WRITES, 'answer', ...RESUMED]);
  });

  it('J-43 on either side of every write, the run goes on to the same end', async () => {
    const expected = await finish(makeFile());
    for (const side of ['before', 'after']) {
      for (let killAt = 1; killAt <= WRITES.length; killAt += 1) {
        const file = makeFile();
        const env = { FAULTS_KILL_AT: String(killAt), FAULTS_SIDE: side };
        expect((await startChild([file, 'life'], env).ended).signal).toBe('SIGKILL');
        expect(await finish(file)).toEqual(expected);
      }
      for (let killAt = 1; killAt <= RESUMED.length; killAt += 1) {
        const file = makeFile();
        const env = { FAULTS_KILL_AT: String(killAt), FAULTS_SIDE: side };
        await startChild([file, 'life']).ended;
        const answered = await startChild([file, 'answer', 'yes'], { FAULTS_KILL_AT: '1', FAULTS_SIDE: side }).ended;
        expect(answered.signal).toBe('SIGKILL');
        await startChild([file, 'answer', 'yes']).ended;
        expect((await startChild([file, 'life'], env).ended).signal).toBe('SIGKILL');
        expect(await finish(file)).toEqual(expected);
      }
    }
  });
});

it('J-40 a file that this user may not write is a coded error, nothing is lost, and it goes on once it may', async () => {
  const file = makeFile();
  await startChild([file, 'life']).ended;
  const expected = await reading(file, (journal) => journal.readEntries('r'));
  const folder = join(file, '..');
  for (const path of [file, `${file}-wal`, `${file}-shm`]) if (existsSync(path)) chmodSync(path, 0o444);
  chmodSync(folder, 0o555);
  const child = startChild([file, 'answer', 'yes'], { CHILD_USER: '65534' });
  const ended = await child.ended;
  chmodSync(folder, 0o755);
  chmodSync(file, 0o600);
  expect(ended.stderr).toMatch(/ERR_DURABLE_JOURNAL_(READONLY|UNAVAILABLE)/);
  expect(await reading(file, (journal) => journal.readEntries('r'))).toEqual(expected);
  expect((await startChild([file, 'answer', 'yes']).ended).lines).toMatchObject([{ delivered: true }]);
});

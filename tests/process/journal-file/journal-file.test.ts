import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { exportedRun, openJournal } from '../../../controllers/journal-file/index.ts';
import { startChild as start, stopped } from '../journal/children.ts';
import { life } from './life.mjs';

const CHILD = new URL('./child.mjs', import.meta.url).pathname;
const folders: string[] = [];

function makeDirectory(): string {
  const folder = mkdtempSync(join(tmpdir(), 'journal-file-process-'));
  folders.push(folder);
  return join(folder, 'runs');
}

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

const startChild = (args: readonly string[], env: Readonly<Record<string, string>> = {}) => start(args, env, CHILD);

async function reading<T>(directory: string, read: (journal: ReturnType<typeof openJournal>) => Promise<T>) {
  const journal = openJournal({ directory });
  try {
    return await read(journal);
  } finally {
    journal.close();
  }
}

const paths = (directory: string): Promise<readonly string[]> =>
  reading(directory, async (journal) => (await journal.readEntries('r')).map(({ path }) => path));

describe('many processes on one folder', () => {
  it('JF-10 S4 three processes race for 40 runs, in a folder that none of them has made yet: each run has one owner', async () => {
    const directory = makeDirectory();
    const runs = 40;
    const ended = await Promise.all([1, 2, 3].map(() => startChild([directory, 'race', String(runs), '4']).ended));
    expect(ended.map(({ code, stderr }) => [code, stderr])).toEqual([0, 1, 2].map(() => [0, '']));
    expect(JSON.stringify(ended.flatMap(({ lines }) => lines))).not.toContain('mixed');
    await reading(directory, async (journal) => {
      const records = await journal.listRuns({ status: 'completed' });
      expect(records).toHaveLength(runs);
      for (const { run, result } of records) {
        const entries = await journal.readEntries(run);
        expect(entries.map(({ path, value }) => [path, value])).toEqual([0, 1, 2, 3].map((n) => [`s[${n}]`, result]));
        // A second writer would have left lines of its own, which no reader counts.
        expect(
          readFileSync(join(directory, `${run}.ndjson`), 'utf8')
            .trim()
            .split('\n'),
        ).toHaveLength(6);
      }
    });
    expect(readdirSync(`${directory}.xmd`).filter((name) => !name.endsWith('.ndjson'))).toEqual([]);
  });

  it('JF-10 S9 of many answers given at once by many processes exactly one counts', async () => {
    const directory = makeDirectory();
    await reading(directory, life);
    const answers = await Promise.all([1, 2, 3, 4].map((who) => startChild([directory, 'answer', String(who)]).ended));
    const receipts = answers.flatMap(({ lines }) => lines.map((line) => JSON.stringify(line)));
    expect(receipts.filter((line) => line.includes('"delivered":true'))).toHaveLength(1);
    expect(receipts.filter((line) => line.includes('"already-answered"'))).toHaveLength(3);
    expect(await reading(directory, life)).toBe('completed');
  });
});

describe('an owner that stops or dies', () => {
  it('JF-11 S4 an owner stopped past its lease, and continued after another finished, writes nothing', async () => {
    const directory = makeDirectory();
    for (const stopAt of [1, 6, 8, 13]) {
      rmSync(directory, { recursive: true, force: true });
      rmSync(`${directory}.xmd`, { recursive: true, force: true });
      const owner = startChild([directory, 'append', '1', '10'], { STOP_AT: String(stopAt) });
      expect(await owner.line()).toEqual({ claimed: true });
      await stopped(owner.pid);
      const other = await startChild([directory, 'append', '60000', '10'], { LOCK_MS: '300' }).ended;
      const file = join(directory, 'r.ndjson');
      const before = readFileSync(file, 'utf8');
      process.kill(owner.pid, 'SIGCONT');
      const ended = await owner.ended;
      if (other.code === 0) {
        expect(other.lines).toEqual([{ claimed: true }, { done: true }]);
        expect(ended.lines[1]).toMatchObject({ refused: 'ERR_DURABLE_CLAIM_LOST' });
        expect(readFileSync(file, 'utf8')).toBe(before);
      } else {
        // It was stopped inside a write: as with any store, whoever comes meanwhile is told that it is locked.
        expect(other.stderr).toContain('ERR_DURABLE_JOURNAL_LOCKED');
        expect(ended.lines[1]).toEqual({ done: true });
      }
      expect(await paths(directory)).toHaveLength(10);
    }
  });

  it('JF-11 the claim of a killed process counts no longer at once; that of a living or stopped one does', async () => {
    const directory = makeDirectory();
    const owner = startChild([directory, 'hold']);
    expect(await owner.line()).toEqual({ claimed: true });
    await reading(directory, async (journal) => {
      expect(await journal.claimRun('r', 'other', 1_000)).toBe(false);
      expect(await journal.dueRuns(Date.now(), 9)).toEqual([]);
      process.kill(owner.pid, 'SIGSTOP');
      await stopped(owner.pid);
      expect(await journal.claimRun('r', 'other', 1_000)).toBe(false);
      process.kill(owner.pid, 'SIGKILL');
      expect((await owner.ended).signal).toBe('SIGKILL');
      expect(await journal.dueRuns(Date.now(), 9)).toEqual(['r']);
      expect(await journal.claimRun('r', 'other', 1_000)).toBe(true);
    });
  });
});

async function told(directory: string): Promise<unknown> {
  return reading(directory, async (journal) => ({
    record: { ...(await journal.readRun('r')), createdAt: 0, updatedAt: 0 },
    entries: await journal.readEntries('r'),
    waits: (await journal.readWaits('r')).map(({ path, state, token }) => ({ path, state, token })),
  }));
}

async function finish(directory: string): Promise<unknown> {
  await reading(directory, life);
  await reading(directory, (journal) => journal.answer({ token: 'token-w' }, 'yes'));
  expect(await reading(directory, life)).toBe('completed');
  return told(directory);
}

it('JF-12 killed at any call of the file system, a write half done among them, the run goes on to the same end', async () => {
  const undisturbed = makeDirectory();
  const { lines } = await startChild([undisturbed, 'life']).ended;
  expect(lines).toMatchObject([{ end: 'parked' }]);
  const count = Number(JSON.stringify(lines).match(/"calls":(\d+)/)?.[1]);
  expect(count).toBeGreaterThan(40);
  const expected = await finish(undisturbed);
  for (let killAt = 1; killAt <= count; killAt += 1) {
    const directory = makeDirectory();
    const ended = await startChild([directory, 'life'], { KILL_AT: String(killAt) }).ended;
    expect(ended.signal).toBe('SIGKILL');
    expect(await finish(directory)).toEqual(expected);
    expect(readdirSync(`${directory}.xmd`)).toEqual(['r.ndjson']);
  }
}, 300_000);

it('TR-14 killed at any call of the file system while it is taken in, the run is there whole or not at all', async () => {
  const from = makeDirectory();
  await reading(from, life);
  const expected = await told(from);
  const file = `${from}.export`;
  const exported = await reading(from, async (journal) => {
    const record = await journal.readRun('r');
    if (record === undefined) throw new Error('no run');
    const whole = { record, entries: await journal.readEntries('r'), waits: await journal.readWaits('r') };
    return exportedRun({ ...whole, record: { ...record, claimed: false } }, 0);
  });
  writeFileSync(file, exported.join(''));
  const { lines } = await startChild([makeDirectory(), 'adopt', file]).ended;
  expect(lines).toMatchObject([{ adopted: true }]);
  const count = Number(JSON.stringify(lines).match(/"calls":(\d+)/)?.[1]);
  expect(count).toBeGreaterThan(12);
  const found = { whole: 0, none: 0 };
  for (let killAt = 1; killAt <= count; killAt += 1) {
    const directory = makeDirectory();
    expect((await startChild([directory, 'adopt', file], { KILL_AT: String(killAt) }).ended).signal).toBe('SIGKILL');
    const there = await reading(directory, (journal) => journal.readRun('r'));
    found[there === undefined ? 'none' : 'whole'] += 1;
    expect(await reading(directory, (journal) => journal.dueRuns(Date.now(), 9))).toEqual([]);
    // The same command again: what was taken in stays, what was not is now.
    expect((await startChild([directory, 'adopt', file]).ended).lines).toMatchObject([
      { adopted: there === undefined },
    ]);
    expect(await told(directory)).toEqual(expected);
    expect(readdirSync(directory)).toEqual(['r.ndjson']);
  }
  expect(found.whole).toBeGreaterThan(0);
  expect(found.none).toBeGreaterThan(0);
}, 300_000);

import { chmodSync, copyFileSync, existsSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { untilStopped } from '../../support/processes/command.ts';
import type { Ended } from '../../support/processes/command.ts';
import { driveToEnd } from '../../support/processes/drive.ts';
import { makePlan, RUN } from '../../support/processes/plan.ts';
import type { Sandbox } from '../../support/processes/sandbox.ts';

const Database: typeof import('better-sqlite3') = createRequire(import.meta.url)('better-sqlite3');
const ASK = 'steps/apply/xmd[1]/Ask';
const TEXT = 'recognisable text of the plan';
const PLAN = {
  fragment: `<Look title="${TEXT}" /><Ask /><File path="big.md" /><Record /><File path="copy.md">by the plan</File>`,
  files: { 'big.md': 'x'.repeat(200_000) },
  answers: { [ASK]: 'yes' },
};
const NOBODY = 65_534;

async function parked() {
  const plan = makePlan(PLAN);
  expect(await plan.sandbox.command(plan.program.start)).toMatchObject({ code: 2 });
  return plan;
}

/** A coded error for a person, without a stack or a word of SQLite's. */
function tells(ended: Ended, expected: { code: number; error: string }): void {
  expect(ended).toMatchObject({ code: expected.code, signal: null });
  expect(ended.stderr).toContain(expected.error);
  expect(ended.stderr).not.toMatch(/^\s+at |SQLITE_|SqliteError/m);
}

/** The repaired run completes, with each change made once. */
async function completes(sandbox: Sandbox, program: Parameters<typeof driveToEnd>[1]): Promise<void> {
  await driveToEnd(sandbox, program);
  expect((await sandbox.record(RUN))?.status).toBe('completed');
  expect(sandbox.text('copy.md')).toBe('by the plan');
  const changes = sandbox.log().flatMap((line) => (line.kind === 'change' ? [line.name] : []));
  expect(changes).toEqual(['look', 'record', 'later']);
  expect(sandbox.log().filter((line) => line.kind === 'fs' && line.call === 'rename')).toHaveLength(1);
}

const COMMANDS = [['resume', RUN], ['answer', RUN, '"yes"'], ['show', RUN], ['runs'], ['cancel', RUN]];

describe('a journal', () => {
  it('J-42 that is torn: every command says so and changes nothing; from its copy the run goes on', async () => {
    const { sandbox, program } = await parked();
    const { journalFile } = sandbox;
    copyFileSync(journalFile, `${journalFile}.copy`);
    for (const part of [0.5, 0.001]) {
      truncateSync(journalFile, Math.floor(readFileSync(`${journalFile}.copy`).length * part));
      const torn = readFileSync(journalFile);
      for (const args of COMMANDS) {
        tells(await sandbox.command(args), { code: 65, error: 'ERR_DURABLE_JOURNAL_CORRUPT' });
      }
      expect(readFileSync(journalFile)).toEqual(torn);
      copyFileSync(`${journalFile}.copy`, journalFile);
    }
    expect(sandbox.calls('look')).toHaveLength(1);
    await completes(sandbox, program);
  });

  it('J-42 that is altered: nothing is performed on the strength of it', async () => {
    const { sandbox, program } = await parked();
    expect(await sandbox.command(['answer', RUN, '"yes"'])).toMatchObject({ code: 0 });
    const answered = readFileSync(sandbox.journalFile);
    const damaged = Buffer.from(answered);
    for (let at = damaged.indexOf(TEXT); at >= 0; at = damaged.indexOf(TEXT, at + 1)) damaged.write('R', at);
    writeFileSync(sandbox.journalFile, damaged);
    const before = { log: sandbox.log(), files: sandbox.files() };
    tells(await sandbox.command(['resume', RUN]), { code: 65, error: 'ERR_DURABLE_JOURNAL_CORRUPT' });
    expect(
      sandbox
        .log()
        .slice(before.log.length)
        .filter(({ kind }) => kind !== 'journal'),
    ).toEqual([]);
    expect(sandbox.files()).toEqual(before.files);
    writeFileSync(sandbox.journalFile, answered);
    await completes(sandbox, program);
  });

  it('J-42 whose last write is torn off: the run goes on from a whole prefix', async () => {
    const { sandbox, program } = await parked();
    expect(await sandbox.command(['answer', RUN, '"yes"'])).toMatchObject({ code: 0 });
    const env = { FAULTS_KILL_AT: '4', FAULTS_SIDE: 'after' };
    expect(await sandbox.command(['resume', RUN], env)).toMatchObject({ signal: 'SIGKILL' });
    const wal = `${sandbox.journalFile}-wal`;
    truncateSync(wal, readFileSync(wal).length - 100);
    await completes(sandbox, program);
  });

  it('J-40 J-41 on a full disk: the run stops where its record fails, and goes on once there is space', async () => {
    const { sandbox, program } = await parked();
    expect(await sandbox.command(['answer', RUN, '"yes"'])).toMatchObject({ code: 0 });
    const before = await sandbox.entries(RUN);
    const ended = await sandbox.command(['resume', RUN], { FAULTS_FULL: '1' });
    tells(ended, { code: 75, error: 'ERR_DURABLE_JOURNAL_FULL' });
    expect((await sandbox.record(RUN))?.status).toBe('running');
    expect(await sandbox.entries(RUN)).toEqual(before);
    expect(sandbox.calls('record')).toEqual([]);
    await completes(sandbox, program);
  });

  it('J-40 J-41 that may not be written: a coded error, nothing changed, and the run goes on once it may', async () => {
    const { sandbox, program } = await parked();
    const folder = dirname(sandbox.journalFile);
    const before = await sandbox.recorded(RUN);
    chmodSync(sandbox.folder, 0o755);
    for (const end of ['', '-wal', '-shm']) {
      if (existsSync(`${sandbox.journalFile}${end}`)) chmodSync(`${sandbox.journalFile}${end}`, 0o444);
    }
    chmodSync(folder, 0o555);
    const user = process.getuid?.() === 0 ? NOBODY : undefined;
    for (const args of [
      ['answer', RUN, '"yes"'],
      ['resume', RUN],
    ]) {
      const { code, stderr, signal } = await sandbox.start(args, {}, user).ended;
      expect({ signal, code }).toEqual({ signal: null, code: 75 });
      expect(stderr).toMatch(/ERR_DURABLE_JOURNAL_(READONLY|UNAVAILABLE)/);
      expect(stderr).not.toMatch(/^\s+at |SQLITE_/m);
    }
    chmodSync(folder, 0o700);
    chmodSync(sandbox.journalFile, 0o600);
    expect(await sandbox.recorded(RUN)).toEqual(before);
    await completes(sandbox, program);
  });

  it('J-40 that another process holds: busy after a while, readable all the time, and it goes on afterwards', async () => {
    const { sandbox, program } = await parked();
    const holder = new Database(sandbox.journalFile);
    holder.exec('BEGIN IMMEDIATE');
    const [answered, shown] = await Promise.all([
      sandbox.command(['answer', RUN, '"yes"']),
      sandbox.command(['show', RUN]),
    ]);
    tells(answered, { code: 75, error: 'ERR_DURABLE_JOURNAL_LOCKED' });
    expect(shown).toMatchObject({ code: 0 });
    holder.exec('ROLLBACK');
    holder.close();
    expect((await sandbox.recorded(RUN)).waits).toEqual([`${ASK} open`]);
    await completes(sandbox, program);
  });

  it('J-40 that another process holds while the run executes: it stops, is not settled, and goes on afterwards', async () => {
    const { sandbox, program } = await parked();
    expect(await sandbox.command(['answer', RUN, '"yes"'])).toMatchObject({ code: 0 });
    const before = await sandbox.entries(RUN);
    // Claim, the read of the large file, that the call begins, then the record of the call that has been made.
    const running = sandbox.start(['resume', RUN], { FAULTS_STOP_AT: '4' });
    await untilStopped(running);
    const holder = new Database(sandbox.journalFile);
    holder.exec('BEGIN IMMEDIATE');
    process.kill(running.pid, 'SIGCONT');
    tells(await running.ended, { code: 75, error: 'ERR_DURABLE_JOURNAL_LOCKED' });
    holder.exec('ROLLBACK');
    holder.close();
    expect((await sandbox.record(RUN))?.status).toBe('running');
    expect(await sandbox.entries(RUN)).toHaveLength(before.length + 2);
    expect(sandbox.calls('record')).toHaveLength(1);
    await completes(sandbox, program);
    expect(sandbox.calls('record')).toHaveLength(2);
  });

  it('J-40 that is no journal, or is missing: a coded error, and nothing is made in its place', async () => {
    const { sandbox, program } = await parked();
    const other = join(sandbox.folder, 'other.db');
    writeFileSync(other, 'this is no database, and long enough to be looked at as one. '.repeat(100));
    tells(await sandbox.command(['show', RUN, '--journal', other]), { code: 65, error: 'ERR_DURABLE_JOURNAL_CORRUPT' });
    const missing = join(sandbox.folder, 'missing.db');
    tells(await sandbox.command(['resume', RUN, '--journal', missing]), {
      code: 66,
      error: 'ERR_DURABLE_JOURNAL_NOT_FOUND',
    });
    expect(existsSync(missing)).toBe(false);
    await completes(sandbox, program);
  });
});

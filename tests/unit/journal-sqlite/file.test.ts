import { chmodSync, existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import type { ResourceManifest } from '@telorun/sdk';
import { expect, it } from 'vitest';
import { Journal } from '../../../controllers/journal-sqlite/index.ts';
import { findDriver } from '../../../controllers/journal-sqlite/open-database.ts';
import { APPLICATION_ID, MIGRATIONS, migrate, pragma } from '../../../controllers/journal-sqlite/schema.ts';
import { codeOf, failure, fileOf, makeFolder, open } from './fixture.ts';

const mode = (path: string) => statSync(path).mode & 0o777;

/** The same file under a connection of the test's own. */
async function raw(file: string, busyTimeoutMs = 0) {
  return (await findDriver(file)).open(file, busyTimeoutMs);
}

it('J-02 file, log and shared memory are private whatever the umask, and so is a folder made for them', async () => {
  for (const umask of [0o000, 0o022, 0o777]) {
    const folder = makeFolder();
    const before = process.umask(umask);
    try {
      const journal = await open(join(folder, 'a', 'runs.db'));
      await journal.admitRun('r');
      const made = journal.files.slice(0, 3);
      expect(journal.files[3]).toBe(join(folder, 'a', 'runs.db-journal'));
      expect(made.map(mode)).toEqual([0o600, 0o600, 0o600]);
      expect(made).toEqual(
        readdirSync(join(folder, 'a'))
          .toSorted()
          .map((name) => join(folder, 'a', name))
          .toSorted(byLength),
      );
    } finally {
      process.umask(before);
    }
    expect(mode(join(folder, 'a'))).toBe(0o700 & ~umask);
  }
});

const LENGTHS = ['runs.db', 'runs.db-wal', 'runs.db-shm'];
const byLength = (a: string, b: string) =>
  LENGTHS.findIndex((name) => a.endsWith(name)) - LENGTHS.findIndex((name) => b.endsWith(name));

it('J-02 the mode of a file and folder that are there is left alone', async () => {
  const folder = makeFolder();
  mkdirSync(join(folder, 'a'), { mode: 0o755 });
  chmodSync(join(folder, 'a'), 0o755);
  const file = join(folder, 'a', 'runs.db');
  (await open(file)).close();
  chmodSync(file, 0o640);
  (await open(file)).close();
  expect([mode(join(folder, 'a')), mode(file)]).toEqual([0o755, 0o640]);
});

it('J-01 a missing file is made only when that is wanted', async () => {
  const file = join(makeFolder(), 'a', 'runs.db');
  expect(await failure(() => open(file, { create: false }))).toMatchObject({
    code: 'ERR_DURABLE_JOURNAL_NOT_FOUND',
    data: { file },
  });
  expect(existsSync(join(file, '..'))).toBe(false);
  await open(file);
  expect(await (await open(file, { create: false })).listRuns()).toEqual([]);
});

it('J-01 the resource names the file, else the environment, else the place is .telo/runs.db', async () => {
  const folder = makeFolder();
  const resource: ResourceManifest = { kind: 'DurableJournalSqlite.Journal', metadata: { name: 'runs' } };
  const stated = await Journal.create(
    { ...resource, file: join(folder, 'stated.db') },
    { env: { TELO_XMD_JOURNAL: 'x' } },
  );
  const environment = await Journal.create(resource, { env: { TELO_XMD_JOURNAL: join(folder, 'environment.db') } });
  const before = process.cwd();
  process.chdir(folder);
  try {
    const unstated = await Journal.create(resource, { env: {} });
    expect(unstated.snapshot?.()).toEqual({ file: join(process.cwd(), '.telo/runs.db') });
    await unstated.teardown?.();
  } finally {
    process.chdir(before);
  }
  expect(stated.snapshot?.()).toEqual({ file: join(folder, 'stated.db') });
  expect(environment.snapshot?.()).toEqual({ file: join(folder, 'environment.db') });
  expect(await stated.admitRun('r')).toEqual({ admitted: true });
  await stated.teardown?.();
  await environment.teardown?.();
  expect(await codeOf(() => stated.readRun('r'))).toBe('ERR_DURABLE_JOURNAL_UNAVAILABLE');
});

it('J-06 the file has a write-ahead log, the connection flushes fully, and both are verified', async () => {
  const journal = await open();
  const database = await raw(fileOf(journal));
  expect(pragma(database, 'journal_mode')).toBe('wal');
  expect(pragma(database, 'application_id')).toBe(APPLICATION_ID);
  expect(pragma(database, 'user_version')).toBe(MIGRATIONS.length);
  database.close();
});

it('J-03 opening and reading a current journal writes nothing, beside a writer that holds the lock', async () => {
  const journal = await open();
  await journal.admitRun('r');
  const writer = await raw(fileOf(journal));
  writer.exec('BEGIN IMMEDIATE');
  const reader = await open(fileOf(journal), { busyTimeoutMs: 0 });
  expect(await reader.readRun('r')).toMatchObject({ run: 'r' });
  expect(await reader.dueRuns(Date.now(), 9)).toEqual(['r']);
  expect(await reader.readEntries('r')).toEqual([]);
  expect(await codeOf(() => reader.admitRun('s'))).toBe('ERR_DURABLE_JOURNAL_LOCKED');
  writer.exec('ROLLBACK');
  writer.close();
  expect(await reader.admitRun('s')).toEqual({ admitted: true });
});

it('J-04 migrations run in order, one transaction each, from an empty file and from version 1', async () => {
  const file = join(makeFolder(), 'runs.db');
  const journal = await open(file);
  await journal.admitRun('r', { inputs: 1 });
  journal.close();
  const database = await raw(file);
  const next = [...MIGRATIONS, 'CREATE TABLE added (run INTEGER)', 'INSERT INTO added SELECT id FROM runs'];
  migrate(database, { file }, next);
  expect(pragma(database, 'user_version')).toBe(next.length);
  expect(database.prepare('SELECT count(*) AS n FROM added').get()).toEqual({ n: 1 });
  const broken = [...next, 'CREATE TABLE half (a); CREATE TABLE added (again)'];
  expect(() => migrate(database, { file }, broken)).toThrow(/added already exists/);
  expect(pragma(database, 'user_version')).toBe(next.length);
  expect(() => database.prepare('SELECT * FROM half')).toThrow(/no such table/);
  database.close();
  const empty = join(makeFolder(), 'empty.db');
  writeFileSync(empty, '');
  const fresh = await raw(empty);
  migrate(fresh, { file: empty }, next);
  expect(pragma(fresh, 'user_version')).toBe(next.length);
  fresh.close();
});

it('J-04 a journal of version 2, with an index of its paths, loses the index and goes on', async () => {
  const file = join(makeFolder(), 'runs.db');
  const journal = await open(file);
  for (const run of ['r', 's']) {
    await journal.admitRun(run);
    await journal.claimRun(run, 'h', 60_000);
    for (const path of ['a', 'b']) await journal.append(run, { path, kind: 'step', value: `${run}${path}` });
    await journal.releaseRun(run);
  }
  const before = [await journal.readEntries('r'), await journal.readEntries('s')];
  journal.close();
  const database = await raw(file);
  database.exec(`ALTER TABLE entries RENAME TO entries_3;
    CREATE TABLE entries (id INTEGER PRIMARY KEY, run INTEGER NOT NULL, path TEXT, kind INTEGER NOT NULL,
      digest TEXT NOT NULL, target TEXT, value TEXT, UNIQUE (run, path));
    INSERT INTO entries SELECT * FROM entries_3; DROP TABLE entries_3; PRAGMA user_version = 2`);
  database.close();
  const migrated = await open(file);
  expect([await migrated.readEntries('r'), await migrated.readEntries('s')]).toEqual(before);
  await migrated.claimRun('r', 'i', 60_000);
  expect(await migrated.append('r', { path: 'a', kind: 'step', value: 'other' })).toMatchObject({ value: 'ra' });
  await migrated.append('r', { path: 'c', kind: 'step', value: 3 });
  expect(await migrated.readEntries('r')).toHaveLength(3);
  const after = await raw(file);
  expect(pragma(after, 'user_version')).toBe(MIGRATIONS.length);
  expect(after.prepare("SELECT name FROM sqlite_schema WHERE type = 'index' AND tbl_name = 'entries'").all()).toEqual(
    [],
  );
  after.close();
});

it('J-04 a file of a later release is refused and left as it is', async () => {
  const file = join(makeFolder(), 'runs.db');
  (await open(file)).close();
  const database = await raw(file);
  database.exec('PRAGMA user_version = 99');
  database.close();
  const before = readFileSync(file);
  expect(await failure(() => open(file))).toMatchObject({
    code: 'ERR_DURABLE_JOURNAL_VERSION',
    data: { found: 99, known: MIGRATIONS.length },
  });
  expect(readFileSync(file).equals(before)).toBe(true);
});

it('J-05 a file of another program is refused and left as it is, an empty one becomes a journal', async () => {
  const folder = makeFolder();
  const sqlite = join(folder, 'other.db');
  writeFileSync(sqlite, '');
  const database = await raw(sqlite);
  database.exec('CREATE TABLE theirs (a)');
  database.close();
  const text = join(folder, 'notes.txt');
  writeFileSync(text, 'not a database, but long enough to have a header of one hundred bytes '.repeat(3));
  for (const file of [sqlite, text]) {
    const before = readFileSync(file);
    expect(await codeOf(() => open(file))).toBe('ERR_DURABLE_JOURNAL_CORRUPT');
    expect(readFileSync(file).equals(before)).toBe(true);
  }
  const empty = join(folder, 'empty.db');
  writeFileSync(empty, '');
  expect(await (await open(empty)).admitRun('r')).toEqual({ admitted: true });
});

it('J-01 a folder, and a path below a file, cannot be journals', async () => {
  const folder = makeFolder();
  expect(await codeOf(() => open(folder))).toBe('ERR_DURABLE_JOURNAL_UNAVAILABLE');
  writeFileSync(join(folder, 'file'), '');
  expect(await codeOf(() => open(join(folder, 'file', 'runs.db')))).toBe('ERR_DURABLE_JOURNAL_UNAVAILABLE');
});

/** A file as version 1 left it: one run with two entries, of which the second has `sum`, and an open wait. */
async function versionOne(sum = crc32('6 b \n2')): Promise<string> {
  const file = join(makeFolder(), 'runs.db');
  writeFileSync(file, '');
  const database = await raw(file);
  migrate(database, { file }, MIGRATIONS.slice(0, 1));
  database.exec(`INSERT INTO runs (run, status, created_at, updated_at, inputs) VALUES ('r', 'running', 1, 1, '{"n":1}');
    INSERT INTO entries (id, run, path, kind, sum, value) VALUES (4294967297, 1, 'a', 0, ${String(crc32('0 a \n1'))}, '1');
    INSERT INTO entries (id, run, path, kind, sum, value) VALUES (4294967298, 1, 'b', 6, ${String(sum)}, '2');
    INSERT INTO waits (run, path, state, fence, since, resource, token) VALUES (1, 'c', 'open', 1, 1, 'ask', 't')`);
  database.close();
  return file;
}

it('J-48 a journal of version 1 gets its chains and goes on', async () => {
  const journal = await open(await versionOne());
  const entries = [
    { path: 'a', kind: 'step', value: 1 },
    { path: 'b', kind: 'decision', decision: 'value', value: 2 },
  ];
  expect(await journal.readEntries('r')).toEqual(entries);
  expect(await journal.readRun('r')).toMatchObject({ inputs: { n: 1 } });
  expect(await journal.answer({ token: 't' }, 3)).toMatchObject({ delivered: true });
  expect(await journal.readEntries('r')).toEqual([...entries, { path: 'c', kind: 'step', value: 3 }]);
});

it('J-48 a journal of version 1 stays as it is when an entry is damaged, or a key would vouch for its past', async () => {
  const damaged = await versionOne(1);
  expect(await failure(() => open(damaged))).toMatchObject({
    code: 'ERR_DURABLE_JOURNAL_CORRUPT',
    data: { file: damaged, seq: 2, path: 'b' },
  });
  const whole = await versionOne();
  expect(await failure(() => open(whole, { key: 'long enough to be a key' }))).toMatchObject({
    code: 'ERR_DURABLE_JOURNAL_KEY',
    data: { found: 'unkeyed' },
  });
  for (const file of [damaged, whole]) {
    const database = await raw(file);
    expect(pragma(database, 'user_version')).toBe(1);
    database.close();
  }
});

it('J-47 the resource states the key, else the environment; what is no text is no key', async () => {
  const file = join(makeFolder(), 'runs.db');
  const resource = { kind: 'DurableJournalSqlite.Journal', metadata: { name: 'runs' }, file };
  const key = 'long enough to be a key';
  const stated = await Journal.create({ ...resource, key }, { env: {} });
  await stated.teardown?.();
  const environment = await Journal.create(resource, { env: { TELO_XMD_JOURNAL_KEY: key } });
  await environment.teardown?.();
  expect(await codeOf(() => Journal.create(resource, { env: {} }))).toBe('ERR_DURABLE_JOURNAL_KEY');
  expect(await codeOf(() => Journal.create({ ...resource, key: 7 }, { env: {} }))).toBe('ERR_DURABLE_JOURNAL_KEY');
});

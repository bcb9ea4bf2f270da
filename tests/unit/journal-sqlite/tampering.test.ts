import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Digests } from '../../../controllers/journal-sqlite/chain.ts';
import type { SqlDatabase } from '../../../controllers/journal-sqlite/driver.ts';
import { findDriver } from '../../../controllers/journal-sqlite/open-database.ts';
import { runSeal } from '../../../controllers/journal-sqlite/run-seal.ts';
import { failure, makeFolder, open } from './fixture.ts';

const KEY = 'a key of this test, long enough';
const step = (path: string, value: unknown) => ({ path, kind: 'step' as const, value });
const DATA = [1, 2, 3, 4, 5].map((n) => step(`steps/${String(n)}`, `value ${String(n)}`));

/** A file with a run `r` of five entries and a wait, its sibling `s`, and an empty run `e`. */
async function journalFile(key: string | undefined): Promise<string> {
  const file = join(makeFolder(), 'runs.db');
  const journal = await open(file, key === undefined ? {} : { key });
  for (const run of ['r', 's', 'e']) {
    await journal.admitRun(run, {
      inputs: { for: run },
      program: { manifest: 'app.yaml', workflow: 'w', digest: 'sha256:d' },
    });
    await journal.claimRun(run, 'h', 60_000);
  }
  for (const entry of DATA) await journal.append('r', entry);
  for (const entry of DATA.slice(0, 3)) await journal.append('s', { ...entry, value: 'other' });
  await journal.recordWait('r', { path: 'steps/6', resource: 'ask', token: 'token-r', request: { ask: 'go on?' } });
  for (const run of ['r', 's', 'e']) await journal.releaseRun(run);
  journal.close();
  return file;
}

async function tamper(file: string, work: (database: SqlDatabase) => void): Promise<void> {
  const database = (await findDriver(file)).open(file, 0);
  work(database);
  database.close();
}

const at = (place: number) => `id = (SELECT id FROM runs WHERE run = 'r') << 32 | ${String(place)}`;
const COLUMNS = 'path, kind, digest, target, value';
const ofRun = (run: string) => `(SELECT id FROM runs WHERE run = '${run}')`;

/** Each changes what the run's records say, through a connection that knows nothing of the journal. */
const TAMPERINGS: Readonly<Record<string, { readonly sql: string; readonly seq: number }>> = {
  'a value altered': { sql: `UPDATE entries SET value = '"value X"' WHERE ${at(2)}`, seq: 2 },
  'the last value altered': { sql: `UPDATE entries SET value = '"value X"' WHERE ${at(5)}`, seq: 5 },
  'a value made unreadable': { sql: `UPDATE entries SET value = 'value X' WHERE ${at(4)}`, seq: 4 },
  'one made unreadable after one altered': {
    sql: `UPDATE entries SET value = '"value X"' WHERE ${at(4)}; UPDATE entries SET kind = 99 WHERE ${at(5)}`,
    seq: 4,
  },
  'a value removed': { sql: `UPDATE entries SET value = NULL WHERE ${at(1)}`, seq: 1 },
  'a path altered': { sql: `UPDATE entries SET path = 'steps/9' WHERE ${at(3)}`, seq: 3 },
  'a step made a decision': { sql: `UPDATE entries SET kind = 6 WHERE ${at(3)}`, seq: 3 },
  'a target added': { sql: `UPDATE entries SET target = '{"kind":"K","name":"n"}' WHERE ${at(4)}`, seq: 4 },
  'two entries swapped': {
    sql: `UPDATE entries SET id = -1 WHERE ${at(2)}; UPDATE entries SET ${at(2)} WHERE ${at(3)};
      UPDATE entries SET ${at(3)} WHERE id = -1`,
    seq: 2,
  },
  'two values swapped': {
    sql: `UPDATE entries SET value = '"value 3"' WHERE ${at(2)}; UPDATE entries SET value = '"value 2"' WHERE ${at(3)}`,
    seq: 2,
  },
  'the first dropped': { sql: `DELETE FROM entries WHERE ${at(1)}`, seq: 1 },
  'one in the middle dropped': { sql: `DELETE FROM entries WHERE ${at(3)}`, seq: 3 },
  'one in the middle dropped, the rest moved up': {
    sql: `DELETE FROM entries WHERE ${at(3)}; UPDATE entries SET id = id - 1 WHERE ${at(4)};
      UPDATE entries SET id = id - 1 WHERE ${at(5)}`,
    seq: 3,
  },
  'the last dropped': { sql: `DELETE FROM entries WHERE ${at(5)}`, seq: 5 },
  'the last two dropped': { sql: `DELETE FROM entries WHERE ${at(5)} OR ${at(4)}`, seq: 4 },
  'all dropped': { sql: `DELETE FROM entries WHERE run = ${ofRun('r')} AND path IS NOT NULL`, seq: 1 },
  'all dropped, with what is before the first': { sql: `DELETE FROM entries WHERE run = ${ofRun('r')}`, seq: 1 },
  'the last dropped, its head given to the one before': {
    sql: `UPDATE entries SET digest = (SELECT digest FROM entries WHERE ${at(5)}) WHERE ${at(4)};
      DELETE FROM entries WHERE ${at(5)}`,
    seq: 4,
  },
  'the last moved to a later place': { sql: `UPDATE entries SET id = id + 1 WHERE ${at(5)}`, seq: 5 },
  'one added': {
    sql: `INSERT INTO entries (id, run, ${COLUMNS}) SELECT id + 1, run, 'steps/5b', kind, digest, target, value
      FROM entries WHERE ${at(5)}`,
    seq: 6,
  },
  'one duplicated under another path': {
    sql: `UPDATE entries SET id = id + 1 WHERE ${at(5)}; INSERT INTO entries (id, run, ${COLUMNS})
      SELECT id + 1, run, 'steps/4b', kind, digest, target, value FROM entries WHERE ${at(4)}`,
    seq: 5,
  },
  'one brought in from another run': {
    sql: `UPDATE entries SET (kind, digest, target, value) =
      (SELECT kind, digest, target, value FROM entries WHERE id = ${ofRun('s')} << 32 | 2) WHERE ${at(2)}`,
    seq: 2,
  },
  'all entries of another run': {
    sql: `DELETE FROM entries WHERE run = ${ofRun('r')}; INSERT INTO entries (id, run, ${COLUMNS})
      SELECT id - ${ofRun('s')} * 4294967296 + ${ofRun('r')} * 4294967296, ${ofRun('r')}, ${COLUMNS} FROM entries
      WHERE run = ${ofRun('s')}`,
    seq: 1,
  },
};

/** What the row of the run, or its wait, says. */
const ROWS: Readonly<Record<string, string>> = {
  'its inputs altered': `UPDATE runs SET inputs = '{"for":"x"}' WHERE run = 'r'`,
  'its program altered': `UPDATE runs SET program = '{"manifest":"b.yaml","workflow":"w","digest":"sha256:d"}' WHERE run = 'r'`,
  'a result forged': `UPDATE runs SET status = 'completed', result = '"forged"' WHERE run = 'r'`,
  'settled without a result': `UPDATE runs SET status = 'completed' WHERE run = 'r'`,
  'another run under its name': `UPDATE runs SET run = 'old' WHERE run = 'r'; UPDATE runs SET run = 'r' WHERE run = 's'`,
};

describe.each([
  ['without a key', undefined],
  ['with a key', KEY],
])('records %s', (_words, key) => {
  const reopen = (file: string) => open(file, key === undefined ? {} : { key });

  it('J-44 untouched records are read and go on', async () => {
    const journal = await reopen(await journalFile(key));
    expect(await journal.readEntries('r')).toEqual(DATA);
    expect(await journal.readRun('r')).toMatchObject({ inputs: { for: 'r' } });
    expect(await journal.readEntries('e')).toEqual([]);
    await journal.claimRun('r', 'i', 60_000);
    await journal.append('r', step('steps/7', 7));
    expect(await journal.answer({ token: 'token-r' }, 'yes')).toMatchObject({ delivered: true });
    expect(await journal.readEntries('r')).toEqual([...DATA, step('steps/7', 7), step('steps/6', 'yes')]);
    await journal.completeRun('r', { status: 'completed', result: 'done' });
    expect(await journal.readRun('r')).toMatchObject({ status: 'completed', result: 'done' });
    expect(await journal.readEntries('r')).toHaveLength(7);
  });

  it.each(Object.entries(TAMPERINGS))('J-44 %s is found when the run is read, and nothing is added', async (_, how) => {
    const file = await journalFile(key);
    await tamper(file, (database) => database.exec(how.sql));
    const journal = await reopen(file);
    const found = { code: 'ERR_DURABLE_JOURNAL_CORRUPT', data: { file, run: 'r', seq: how.seq } };
    expect(await failure(() => journal.readEntries('r'))).toMatchObject(found);
    await journal.claimRun('r', 'i', 60_000);
    expect(await failure(() => journal.append('r', step('steps/8', 8)))).toMatchObject(found);
    expect(await failure(() => journal.answer({ token: 'token-r' }, 'yes'))).toMatchObject({ code: found.code });
    expect(await failure(() => journal.readEntries('r'))).toMatchObject(found);
    expect(await journal.readEntries('s')).toHaveLength(3);
  });

  it.each([
    ['has lost its head', `UPDATE entries SET digest = 'x' WHERE ${at(5)}`],
    ['is gone', `DELETE FROM entries WHERE ${at(5)}`],
    ['is followed by another', TAMPERINGS['one added']?.sql ?? ''],
  ])('J-44 an owner that goes on finds that its last entry %s, and adds nothing', async (_, sql) => {
    const file = await journalFile(key);
    const journal = await reopen(file);
    await journal.claimRun('r', 'i', 60_000);
    expect(await journal.readEntries('r')).toEqual(DATA);
    await tamper(file, (database) => database.exec(sql));
    const entry = step('steps/7', 7);
    const refused = { code: 'ERR_DURABLE_JOURNAL_CORRUPT' };
    expect(await failure(() => journal.append('r', entry))).toMatchObject(refused);
    expect(await failure(() => journal.append('r', entry))).toMatchObject(refused);
    await tamper(file, (database) => {
      expect(database.prepare(`SELECT id FROM entries WHERE path = 'steps/7'`).all()).toEqual([]);
    });
  });

  it.each(Object.entries(ROWS))('J-45 %s is found when the run is read', async (_, sql) => {
    const file = await journalFile(key);
    await tamper(file, (database) => database.exec(sql));
    const journal = await reopen(file);
    expect(await failure(() => journal.readRun('r'))).toMatchObject({
      code: 'ERR_DURABLE_JOURNAL_CORRUPT',
      data: { run: 'r', seq: 0 },
    });
    expect(await failure(() => journal.admitRun('r'))).toMatchObject({ code: 'ERR_DURABLE_JOURNAL_CORRUPT' });
    expect((await journal.listRuns()).length).toBe(3);
  });

  it('J-45 a settled run that is made to run again is found', async () => {
    const file = await journalFile(key);
    const journal = await reopen(file);
    await journal.claimRun('r', 'i', 60_000);
    await journal.completeRun('r', { status: 'failed', error: { code: 'E', message: 'm' } });
    await tamper(file, (database) => database.exec(`UPDATE runs SET status = 'running', error = NULL WHERE run = 'r'`));
    expect(await failure(() => journal.readRun('r'))).toMatchObject({ code: 'ERR_DURABLE_JOURNAL_CORRUPT' });
  });

  it('J-45 a damaged run can be cancelled, and stays damaged', async () => {
    const file = await journalFile(key);
    await tamper(file, (database) => database.exec(`UPDATE runs SET inputs = '1' WHERE run = 'r'`));
    const journal = await reopen(file);
    expect(await journal.cancelRun('r')).toBe(true);
    expect(await journal.dueRuns(Date.now(), 9)).not.toContain('r');
    expect(await failure(() => journal.readRun('r'))).toMatchObject({ code: 'ERR_DURABLE_JOURNAL_CORRUPT' });
  });

  it.each(['at', 'token', 'request', 'resource', 'schema'])('J-46 %s of a wait altered is found', async (column) => {
    const file = await journalFile(key);
    await tamper(file, (database) => database.exec(`UPDATE waits SET ${column} = 1`));
    const journal = await reopen(file);
    expect(await failure(() => journal.readWaits('r'))).toMatchObject({
      code: 'ERR_DURABLE_JOURNAL_CORRUPT',
      data: { run: 'r' },
    });
    expect(await failure(() => journal.answer({ run: 'r', path: 'steps/6' }, 'yes'))).toMatchObject({
      code: 'ERR_DURABLE_JOURNAL_CORRUPT',
    });
  });

  it('J-46 a run that is copied in from another journal is found', async () => {
    const from = await journalFile(key);
    const file = join(makeFolder(), 'runs.db');
    (await reopen(file)).close();
    await tamper(file, (database) => {
      database.exec(`ATTACH '${from}' AS other`);
      for (const table of ['runs', 'entries', 'waits'])
        database.exec(`INSERT INTO ${table} SELECT * FROM other.${table}`);
    });
    const journal = await reopen(file);
    expect(await failure(() => journal.readRun('r'))).toMatchObject({ code: 'ERR_DURABLE_JOURNAL_CORRUPT' });
    expect(await failure(() => journal.readEntries('r'))).toMatchObject({ code: 'ERR_DURABLE_JOURNAL_CORRUPT' });
    const copy = join(makeFolder(), 'copy.db');
    copyFileSync(from, copy);
    expect(await (await reopen(copy)).readEntries('r')).toEqual(DATA);
  });
});

/** What somebody who knows this code and not the key would do: alter a value, and make every digest anew. */
function recompute(database: SqlDatabase, key: string | undefined, forged = '"forged"'): void {
  const row = database.prepare('SELECT identity FROM journal').get();
  const digests = new Digests(String(row?.['identity']), key);
  database.exec(`UPDATE entries SET value = '${forged}' WHERE ${at(2)}`);
  let chain = digests.chain('r');
  for (const { path, kind, value } of database.prepare(`SELECT * FROM entries WHERE run = ${ofRun('r')}`).all()) {
    if (path === null) continue;
    if (typeof path !== 'string' || typeof kind !== 'number' || typeof value !== 'string')
      throw new TypeError('no entry');
    const link = { path, kind, target: null, value };
    chain = chain.with([{ ...link, place: chain.place + 1 }]);
    const digest = chain.place === DATA.length ? chain.head : chain.mark;
    database.exec(`UPDATE entries SET digest = '${digest}' WHERE ${at(chain.place)}`);
  }
  const run = database.prepare(`SELECT * FROM runs WHERE run = 'r'`).get() ?? {};
  database.exec(`UPDATE runs SET seal = '${runSeal(digests, run)}' WHERE run = 'r'`);
}

const refusal = async (file: string, key?: string) =>
  (await failure(() => open(file, key === undefined ? {} : { key }))).data;

it('J-44 a value that is not JSON is refused, also where every digest says that it was recorded', async () => {
  const file = await journalFile(undefined);
  await tamper(file, (database) => recompute(database, undefined, 'no JSON'));
  const journal = await open(file);
  const { code, data } = await failure(() => journal.readEntries('r'));
  expect(code).toBe('ERR_DURABLE_JOURNAL_CORRUPT');
  expect(data).not.toHaveProperty('seq');
  expect(await journal.readEntries('s')).toHaveLength(3);
});

describe('J-47 a key', () => {
  it('finds records whose digests were made anew without it, which a journal without a key does not', async () => {
    const unkeyed = await journalFile(undefined);
    await tamper(unkeyed, (database) => recompute(database, undefined));
    expect((await (await open(unkeyed)).readEntries('r'))[1]).toEqual(step('steps/2', 'forged'));
    const keyed = await journalFile(KEY);
    for (const guess of [undefined, 'another key of this length']) {
      await tamper(keyed, (database) => recompute(database, guess));
      const journal = await open(keyed, { key: KEY });
      expect(await failure(() => journal.readEntries('r'))).toMatchObject({ code: 'ERR_DURABLE_JOURNAL_CORRUPT' });
      expect(await failure(() => journal.readRun('r'))).toMatchObject({ code: 'ERR_DURABLE_JOURNAL_CORRUPT' });
    }
  });

  it('opens what it made, and nothing else does', async () => {
    const keyed = await journalFile(KEY);
    const unkeyed = await journalFile(undefined);
    expect(await (await open(keyed, { key: KEY })).readEntries('r')).toEqual(DATA);
    expect(await refusal(keyed)).toMatchObject({ found: 'keyed' });
    expect(await refusal(keyed, `${KEY}!`)).toMatchObject({ found: 'other-key' });
    expect(await refusal(unkeyed, KEY)).toMatchObject({ found: 'unkeyed' });
    expect(await refusal(keyed, 'short')).toMatchObject({ found: 'too-short' });
    await tamper(keyed, (database) => database.exec('DELETE FROM journal'));
    expect((await failure(() => open(keyed, { key: KEY }))).code).toBe('ERR_DURABLE_JOURNAL_CORRUPT');
  });

  it('is never in the file', async () => {
    const { readFileSync } = await import('node:fs');
    expect(readFileSync(await journalFile(KEY)).includes(KEY)).toBe(false);
  });
});

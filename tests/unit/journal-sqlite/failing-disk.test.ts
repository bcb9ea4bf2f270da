import { closeSync, copyFileSync, fstatSync, ftruncateSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { codeOf as sdkCodeOf } from '@telorun/sdk';
import { describe, expect, it } from 'vitest';
import type { SqlDatabase, SqlDriver } from '../../../controllers/journal-sqlite/driver.ts';
import { readIdentity } from '../../../controllers/journal-sqlite/identity.ts';
import { findDriver, openDatabase } from '../../../controllers/journal-sqlite/open-database.ts';
import { systemProcesses } from '../../../controllers/journal-sqlite/owner.ts';
import { SqliteJournal } from '../../../controllers/journal-sqlite/sqlite-journal.ts';
import { claimed, codeOf, failure, fileOf, makeFolder, open } from './fixture.ts';

const step = (path: string, value?: unknown) => ({ path, kind: 'step' as const, value });
const KNOWN = /^ERR_DURABLE_JOURNAL_(LOCKED|FULL|READONLY|CORRUPT|UNAVAILABLE)$/;

/** A journal whose connection the test can reach. */
async function withConnection(
  file: string,
  wrap: (database: SqlDatabase, driver: SqlDriver) => SqlDatabase = (d) => d,
) {
  const driver = await findDriver(file);
  const database = wrap(openDatabase(driver, { file, create: true, busyTimeoutMs: 0 }), driver);
  const digests = readIdentity(database, file, undefined);
  const journal = new SqliteJournal({ database, driver, digests, file, now: Date.now, processes: systemProcesses() });
  return { journal, database };
}

describe('a disk that fails', () => {
  it('J-41 a full disk is a coded error, nothing recorded is lost, and the run goes on once there is room', async () => {
    const file = join(makeFolder(), 'runs.db');
    const { journal, database } = await withConnection(file);
    await journal.admitRun('r');
    await journal.claimRun('r', 'h', 60_000);
    await journal.append('r', step('kept', 1));
    const pages = Number(Object.values(database.prepare('PRAGMA page_count').get() ?? {})[0]);
    database.exec(`PRAGMA max_page_count = ${String(pages + 1)}`);
    expect(await failure(() => journal.append('r', step('large', 'x'.repeat(100_000))))).toMatchObject({
      code: 'ERR_DURABLE_JOURNAL_FULL',
      data: { file, run: 'r' },
    });
    expect(await codeOf(() => journal.admitRun('s', { inputs: 'x'.repeat(100_000) }))).toBe('ERR_DURABLE_JOURNAL_FULL');
    expect(await journal.readEntries('r')).toEqual([step('kept', 1)]);
    database.exec('PRAGMA max_page_count = 1000000');
    await journal.append('r', step('large', 'x'.repeat(100_000)));
    expect(await journal.readEntries('r')).toHaveLength(2);
    journal.close();
  });

  it('J-40 a connection that may not write is a coded error, and reading goes on', async () => {
    const journal = await claimed();
    const { journal: readOnly, database } = await withConnection(fileOf(journal));
    database.exec('PRAGMA query_only = 1');
    expect(await failure(() => readOnly.admitRun('s'))).toMatchObject({
      code: 'ERR_DURABLE_JOURNAL_READONLY',
      data: { file: fileOf(journal), run: 's' },
    });
    expect(await readOnly.readRun('r')).toMatchObject({ run: 'r' });
    database.exec('PRAGMA query_only = 0');
    expect(await readOnly.admitRun('s')).toEqual({ admitted: true });
    readOnly.close();
  });

  it('J-40 a journal that another connection holds is a coded error with a hint, until it lets go', async () => {
    const journal = await claimed();
    const { journal: second, database } = await withConnection(fileOf(journal));
    database.exec('BEGIN EXCLUSIVE');
    const third = await open(fileOf(journal), { busyTimeoutMs: 20 });
    expect(await failure(() => third.admitRun('s'))).toMatchObject({
      code: 'ERR_DURABLE_JOURNAL_LOCKED',
      data: { file: fileOf(journal), run: 's', hint: expect.stringContaining('Wait') },
    });
    expect(await third.readRun('r')).toMatchObject({ run: 'r' });
    database.exec('ROLLBACK');
    expect(await third.admitRun('s')).toEqual({ admitted: true });
    second.close();
  });

  it.each(['SQLITE_BUSY', 'SQLITE_FULL', 'SQLITE_IOERR', 'SQLITE_READONLY', 'SQLITE_CORRUPT'])(
    'J-41 %s at each call of SQLite in turn: a coded error, nothing half done, and the same call succeeds afterwards',
    async (code) => {
      const file = join(makeFolder(), 'runs.db');
      const fault = { countdown: Number.POSITIVE_INFINITY };
      const { journal } = await withConnection(file, (database) => failing(database, fault, code));
      await journal.admitRun('warm');
      for (const [call, work] of operations(journal)) {
        for (let at = 1; ; at += 1) {
          await journal.admitRun(`${call}-${at}`);
          await journal.claimRun(`${call}-${at}`, 'h', 60_000);
          const before = JSON.stringify([
            await journal.readEntries(`${call}-${at}`),
            await journal.readWaits(`${call}-${at}`),
          ]);
          fault.countdown = at;
          const failed = await work(`${call}-${at}`).then(
            () => undefined,
            (error: unknown) => error,
          );
          const reached = fault.countdown <= 0;
          fault.countdown = Number.POSITIVE_INFINITY;
          if (!reached) break;
          expect(sdkCodeOf(failed)).toMatch(KNOWN);
          expect(
            JSON.stringify([await journal.readEntries(`${call}-${at}`), await journal.readWaits(`${call}-${at}`)]),
          ).toBe(before);
          await work(`${call}-${at}`);
        }
      }
      journal.close();
    },
  );
});

it('J-41 an append that failed at each call of SQLite in turn succeeds when it is made again, and once', async () => {
  const fault = { countdown: Number.POSITIVE_INFINITY };
  const { journal } = await withConnection(join(makeFolder(), 'runs.db'), (database) =>
    failing(database, fault, 'SQLITE_FULL'),
  );
  for (let at = 1, reached = true; reached; at += 1) {
    const run = String(at);
    await journal.admitRun(run);
    await journal.claimRun(run, 'h', 60_000);
    await journal.readEntries(run);
    await journal.append(run, step('a', 1));
    // An entry at a wait takes several statements, of which the last is the commit.
    await journal.recordWait(run, { path: 'w', resource: 'x', at: 0 });
    fault.countdown = at;
    const failed = await journal.append(run, step('w', 1)).then(
      () => undefined,
      (error: unknown) => error,
    );
    reached = fault.countdown <= 0;
    fault.countdown = Number.POSITIVE_INFINITY;
    expect(sdkCodeOf(failed)).toBe(reached ? 'ERR_DURABLE_JOURNAL_FULL' : undefined);
    expect(await journal.append(run, step('w', 2))).toEqual(step('w', reached ? 2 : 1));
    expect(await journal.append(run, step('b', 3))).toEqual(step('b', 3));
    expect(await journal.readEntries(run)).toEqual([step('a', 1), step('w', reached ? 2 : 1), step('b', 3)]);
  }
  journal.close();
});

function operations(journal: SqliteJournal): readonly (readonly [string, (run: string) => Promise<unknown>])[] {
  return [
    ['append', (run) => journal.append(run, step('a', 1))],
    ['recordWait', (run) => journal.recordWait(run, { path: 'w', resource: 'x', token: run })],
    ['claimRun', (run) => journal.claimRun(run, 'h', 60_000)],
    ['suspendRun', (run) => journal.suspendRun(run)],
    ['completeRun', (run) => journal.completeRun(run, { status: 'completed' })],
  ];
}

/** Fails the call of SQLite that the countdown reaches, as better-sqlite3 and node:sqlite would. */
function failing(database: SqlDatabase, fault: { countdown: number }, code: string): SqlDatabase {
  const tick = (sql: string): void => {
    if (sql === 'ROLLBACK') return;
    fault.countdown -= 1;
    const errcode = { SQLITE_BUSY: 5, SQLITE_READONLY: 8, SQLITE_IOERR: 10, SQLITE_CORRUPT: 11, SQLITE_FULL: 13 }[code];
    if (fault.countdown === 0) throw Object.assign(new Error('injected'), { code, errcode });
  };
  return {
    exec: (sql) => {
      tick(sql);
      database.exec(sql);
    },
    prepare: (sql) => {
      const statement = database.prepare(sql);
      return {
        run: (parameters) => {
          tick(sql);
          return statement.run(parameters);
        },
        get: (parameters) => {
          tick(sql);
          return statement.get(parameters);
        },
        all: (parameters) => {
          tick(sql);
          return statement.all(parameters);
        },
        iterate: (parameters) => {
          tick(sql);
          return statement.iterate(parameters);
        },
      };
    },
    close: () => database.close(),
  };
}

async function written(): Promise<{ readonly file: string; readonly expected: string }> {
  const file = join(makeFolder(), 'runs.db');
  const journal = await open(file);
  await journal.admitRun('r', { inputs: { n: 1 } });
  await journal.claimRun('r', 'h', 60_000);
  for (let index = 0; index < 40; index += 1) await journal.append('r', step(`s[${index}]`, 'v'.repeat(700)));
  await journal.recordWait('r', { path: 'w', resource: 'x', token: 't' });
  await journal.suspendRun('r');
  const expected = JSON.stringify(await journal.readEntries('r'));
  journal.close();
  return { file, expected };
}

async function outcome(file: string): Promise<string> {
  try {
    const journal = await open(file);
    try {
      await journal.readRun('r');
      await journal.readWaits('r');
      return JSON.stringify(await journal.readEntries('r'));
    } finally {
      journal.close();
    }
  } catch (error) {
    return sdkCodeOf(error) ?? String(error);
  }
}

describe('a file that was torn or altered', () => {
  it('J-42 a file cut short anywhere is a coded error or holds a whole prefix, and a copy put back is whole', async () => {
    const { file, expected } = await written();
    const whole = readFileSync(file);
    const entries = expected.slice(1, -1);
    for (const share of [0.02, 0.1, 0.3, 0.5, 0.7, 0.9, 0.99]) {
      const torn = join(makeFolder(), 'runs.db');
      copyFileSync(file, torn);
      const handle = openSync(torn, 'r+');
      ftruncateSync(handle, Math.floor(fstatSync(handle).size * share));
      closeSync(handle);
      const seen = await outcome(torn);
      expect(KNOWN.test(seen) || entries.startsWith(seen.slice(1, -1))).toBe(true);
      writeFileSync(torn, whole);
      expect(await outcome(torn)).toBe(expected);
    }
  });

  it('J-42 flipped bytes are a coded error or change nothing: no altered entry is ever answered', async () => {
    const { file, expected } = await written();
    const whole = readFileSync(file);
    const codes = new Set<string>();
    for (let at = 0; at < whole.length; at += 487) {
      const altered = Buffer.from(whole);
      altered[at] = (altered[at] ?? 0) ^ 0xff;
      const copy = join(makeFolder(), 'runs.db');
      writeFileSync(copy, altered);
      const seen = await outcome(copy);
      if (seen === expected) continue;
      codes.add(seen);
      expect(seen).toMatch(/^ERR_DURABLE_JOURNAL_(CORRUPT|UNAVAILABLE|VERSION)$/);
    }
    expect(codes.has('ERR_DURABLE_JOURNAL_CORRUPT')).toBe(true);
    expect(await outcome(file)).toBe(expected);
  });
});

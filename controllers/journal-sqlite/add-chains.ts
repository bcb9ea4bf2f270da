import { crc32 } from 'node:zlib';
import type { Digests, Link } from './chain.ts';
import type { SqlDatabase, SqlRow } from './driver.ts';
import { UnreadableRecord, keyError } from './errors.ts';
import { createIdentity } from './identity.ts';
import { runSeal } from './run-seal.ts';
import { integerOf, textOf, textOrNull } from './values.ts';
import { waitDigest } from './wait-digest.ts';

const TABLES = `CREATE TABLE journal (id INTEGER PRIMARY KEY CHECK (id = 1), identity TEXT NOT NULL, proof TEXT NOT NULL);
  ALTER TABLE runs ADD COLUMN seal TEXT;
  ALTER TABLE waits ADD COLUMN digest TEXT;
  ALTER TABLE entries RENAME TO entries_1;
  CREATE TABLE entries (
    id INTEGER PRIMARY KEY,
    run INTEGER NOT NULL,
    path TEXT,
    kind INTEGER NOT NULL,
    digest TEXT NOT NULL,
    target TEXT,
    value TEXT,
    UNIQUE (run, path)
  );`;

/**
 * Version 2: every run gets its chain. Entries of version 1 are taken as they stand once their sums agree, so a chain
 * vouches for them from now on and not for their past. Effect: writes into the open transaction.
 *
 * @throws InvokeError ERR_DURABLE_JOURNAL_KEY when a key would vouch for runs that were written without one
 */
export function addChains(
  database: SqlDatabase,
  { file, key }: { readonly file: string; readonly key?: string },
): void {
  const runs = database.prepare('SELECT * FROM runs ORDER BY id').all();
  if (key !== undefined && runs.length > 0) throw keyError({ file }, 'unkeyed');
  database.exec(TABLES);
  const digests = createIdentity(database, key);
  const sealRun = database.prepare('UPDATE runs SET seal = :seal WHERE id = :id');
  for (const row of runs) {
    const id = integerOf(row, 'id');
    sealRun.run({ id, seal: runSeal(digests, row) });
    moveEntries(database, digests, { id, run: textOf(row, 'run') });
  }
  database.exec('DROP TABLE entries_1');
  const waits = database.prepare(
    'SELECT waits.*, runs.run AS name FROM waits JOIN runs ON runs.id = waits.run ORDER BY waits.id',
  );
  const sealWait = database.prepare('UPDATE waits SET digest = :digest WHERE id = :id');
  for (const row of waits.all()) {
    sealWait.run({ id: integerOf(row, 'id'), digest: waitDigest(digests, row, textOf(row, 'name')) });
  }
}

function moveEntries(database: SqlDatabase, digests: Digests, { id, run }: { id: number; run: string }): void {
  const insert = database.prepare(`INSERT INTO entries (id, run, path, kind, digest, target, value)
    VALUES (:id << 32 | :place, :id, :path, :kind, :digest, :target, :value)`);
  let chain = digests.chain(run);
  let last: Omit<Link, 'path'> & { readonly path: string | null } = {
    place: 0,
    path: null,
    kind: -1,
    target: null,
    value: null,
  };
  for (const row of database.prepare('SELECT * FROM entries_1 WHERE run = :id ORDER BY id').all({ id })) {
    insert.run({ id, digest: chain.mark, ...last });
    const link = { place: chain.place + 1, ...checked(row, chain.place + 1) };
    chain = chain.with([link]);
    last = link;
  }
  insert.run({ id, digest: chain.head, ...last });
}

function checked(row: SqlRow, seq: number) {
  const path = textOf(row, 'path');
  const kind = integerOf(row, 'kind');
  const target = textOrNull(row, 'target');
  const value = textOrNull(row, 'value');
  const head = `${String(kind)} ${path} ${target ?? ''}`;
  if (crc32(value === null ? head : `${head}\n${value}`) !== integerOf(row, 'sum')) {
    throw new UnreadableRecord('an entry is not what was recorded', { seq, path });
  }
  return { path, kind, target, value };
}

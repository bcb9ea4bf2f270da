import { addChains } from './add-chains.ts';
import { type SqlDatabase, immediately } from './driver.ts';
import { UnreadableRecord, corruptError, versionError } from './errors.ts';

/** `XMDJ`: tells a journal from any other SQLite file. */
export const APPLICATION_ID = 0x584d444a;

/** What a step of a migration may look at beside the file's content. */
export interface MigrationPlace {
  readonly file: string;
  readonly key?: string;
}

type Migration = string | ((database: SqlDatabase, place: MigrationPlace) => void);

/** Position n brings a file from version n to version n + 1. Never edited once released, only added to. */
export const MIGRATIONS: readonly Migration[] = [
  `CREATE TABLE runs (
     id INTEGER PRIMARY KEY,
     run TEXT NOT NULL UNIQUE,
     status TEXT NOT NULL,
     fence INTEGER NOT NULL DEFAULT 0,
     holder TEXT,
     claim_until INTEGER,
     owner TEXT,
     due_at INTEGER,
     created_at INTEGER NOT NULL,
     updated_at INTEGER NOT NULL,
     program TEXT,
     problem TEXT,
     error TEXT,
     collapsed_regions INTEGER,
     collapse_reasons TEXT,
     inputs TEXT,
     result TEXT
   );
   CREATE INDEX runs_open ON runs (due_at) WHERE status IN ('scheduled', 'running', 'parked');
   CREATE TABLE entries (
     id INTEGER PRIMARY KEY,
     run INTEGER NOT NULL,
     path TEXT NOT NULL,
     kind INTEGER NOT NULL,
     sum INTEGER NOT NULL,
     target TEXT,
     value TEXT,
     UNIQUE (run, path)
   );
   CREATE TABLE waits (
     id INTEGER PRIMARY KEY,
     run INTEGER NOT NULL,
     path TEXT NOT NULL,
     state TEXT NOT NULL,
     fence INTEGER NOT NULL,
     since INTEGER NOT NULL,
     resource TEXT NOT NULL,
     at INTEGER,
     token TEXT,
     schema TEXT,
     request TEXT,
     UNIQUE (run, path)
   );
   CREATE INDEX waits_token ON waits (token) WHERE token IS NOT NULL;`,
  addChains,
  // Version 3: no index keeps a path unique in its run, which cost a second page in each flush. Whoever writes knows them all.
  `ALTER TABLE entries RENAME TO entries_2;
   CREATE TABLE entries (
     id INTEGER PRIMARY KEY,
     run INTEGER NOT NULL,
     path TEXT,
     kind INTEGER NOT NULL,
     digest TEXT NOT NULL,
     target TEXT,
     value TEXT
   );
   INSERT INTO entries SELECT id, run, path, kind, digest, target, value FROM entries_2 ORDER BY id;
   DROP TABLE entries_2;`,
];

/**
 * Brings the file to the newest version: one transaction a version, nothing written when it is there already. Effect.
 *
 * @throws InvokeError ERR_DURABLE_JOURNAL_VERSION for a newer file, ERR_DURABLE_JOURNAL_CORRUPT for one that is no journal
 */
export function migrate(database: SqlDatabase, place: MigrationPlace, migrations = MIGRATIONS): void {
  const { file } = place;
  let version = readVersion(database, file, migrations.length);
  while (version < migrations.length) {
    immediately(database, () => {
      // Read again under the lock: another process may have migrated meanwhile.
      version = readVersion(database, file, migrations.length);
      const statements = migrations[version];
      if (statements === undefined) return;
      if (typeof statements === 'string') database.exec(statements);
      else asReadable(file, () => statements(database, place));
      version += 1;
      database.exec(`PRAGMA application_id = ${String(APPLICATION_ID)}; PRAGMA user_version = ${String(version)}`);
    });
  }
}

function asReadable(file: string, work: () => void): void {
  try {
    work();
  } catch (error) {
    throw error instanceof UnreadableRecord ? corruptError({ file, ...error.where }, error.message, error) : error;
  }
}

/**
 * The schema version of a file that is a journal, 0 for one without any content. Pure, beside reading.
 *
 * @throws InvokeError ERR_DURABLE_JOURNAL_VERSION for a newer file, ERR_DURABLE_JOURNAL_CORRUPT for one that is no journal
 */
export function readVersion(database: SqlDatabase, file: string, known = MIGRATIONS.length): number {
  const application = pragma(database, 'application_id');
  const version = pragma(database, 'user_version');
  if (application === 0 && version === 0 && isEmpty(database)) return 0;
  if (application !== APPLICATION_ID || typeof version !== 'number' || version < 1) {
    throw corruptError({ file }, 'it belongs to another program');
  }
  if (version > known) throw versionError({ file }, version, known);
  return version;
}

function isEmpty(database: SqlDatabase): boolean {
  return database.prepare('SELECT 1 AS present FROM sqlite_schema LIMIT 1').get() === undefined;
}

/** The value of a pragma that answers one column. Effect: some pragmas change the connection. */
export function pragma(database: SqlDatabase, name: string): unknown {
  const row = database.prepare(`PRAGMA ${name}`).get();
  return row === undefined ? undefined : Object.values(row)[0];
}

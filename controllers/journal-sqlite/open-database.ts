import { closeSync, constants, existsSync, fchmodSync, fsyncSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { isInvokeError } from '@telorun/sdk';
import type { SqlDatabase, SqlDriver } from './driver.ts';
import { betterDriver } from './driver-better.ts';
import { nodeDriver } from './driver-node.ts';
import { notFoundError, sqliteError, unavailableError } from './errors.ts';
import { migrate, pragma, readVersion } from './schema.ts';

const PAGE_BYTES = 8192;
const SYNCHRONOUS_FULL = 2;
const WAL_RETRY_MS = 10;

export interface DatabaseOptions {
  readonly file: string;
  readonly create: boolean;
  readonly busyTimeoutMs: number;
  /** The key of its digests. */
  readonly key?: string;
}

/**
 * The driver of this process: Node's own SQLite where there is one, else better-sqlite3. Effect: may load native code.
 *
 * @throws InvokeError ERR_DURABLE_JOURNAL_UNAVAILABLE when there is neither
 */
export async function findDriver(file: string): Promise<SqlDriver> {
  const node = nodeDriver();
  if (node !== undefined) return node;
  try {
    return await betterDriver();
  } catch (error) {
    throw unavailableError(
      { file },
      'this Node has no node:sqlite and better-sqlite3 cannot be loaded',
      'Use Node 22.13 or later, or install better-sqlite3 for this Node beside the journal.',
      error,
    );
  }
}

/**
 * Opens the journal's file, made private to this user when it is new. Effect; writes nothing to a current file.
 *
 * @throws InvokeError ERR_DURABLE_JOURNAL_NOT_FOUND, ERR_DURABLE_JOURNAL_* when it cannot be used
 */
export function openDatabase(driver: SqlDriver, options: DatabaseOptions): SqlDatabase {
  const { file } = options;
  if (!existsSync(file)) {
    if (!options.create) throw notFoundError({ file });
    createPrivately(file);
  }
  let database: SqlDatabase | undefined;
  try {
    database = driver.open(file, options.busyTimeoutMs);
    useDurably(database, driver, options);
    migrate(database, options);
    return database;
  } catch (error) {
    database?.close();
    if (isInvokeError(error)) throw error;
    const code = driver.codeOf(error);
    throw code === undefined ? error : sqliteError(code, { file }, error);
  }
}

/** Folder 0700, file 0600 whatever the umask; -wal and -shm take the file's mode. The folder is flushed with the new name. */
function createPrivately(file: string): void {
  const folder = dirname(file);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const handle = openSync(file, constants.O_CREAT | constants.O_RDWR, 0o600);
    fchmodSync(handle, 0o600);
    fsyncSync(handle);
    closeSync(handle);
    if (process.platform === 'win32') return;
    const folderHandle = openSync(folder, constants.O_RDONLY);
    fsyncSync(folderHandle);
    closeSync(folderHandle);
  } catch (error) {
    throw unavailableError({ file }, 'it cannot be created', 'Choose a folder that this user may write.', error);
  }
}

function useDurably(database: SqlDatabase, driver: SqlDriver, options: DatabaseOptions): void {
  const { file } = options;
  database.exec('PRAGMA synchronous = FULL; PRAGMA trusted_schema = OFF');
  // Before anything is changed: a file of another program stays as it is.
  readVersion(database, file);
  if (pragma(database, 'journal_mode') !== 'wal') switchToWal(database, driver, options);
  if (pragma(database, 'synchronous') !== SYNCHRONOUS_FULL) {
    throw unavailableError({ file }, 'SQLite does not flush fully', 'Use a SQLite built with synchronous=FULL.');
  }
}

/** The switch wants the file for itself and does not wait for it, so two processes that create one file take turns here. */
function switchToWal(database: SqlDatabase, driver: SqlDriver, options: DatabaseOptions): void {
  const until = Date.now() + options.busyTimeoutMs;
  const pause = new Int32Array(new SharedArrayBuffer(4));
  // The page size counts for a file that has no page yet: larger pages waste less space beside a value of 1 KB.
  database.exec(`PRAGMA page_size = ${String(PAGE_BYTES)}`);
  for (;;) {
    try {
      const mode = pragma(database, 'journal_mode = WAL');
      if (mode === 'wal') return;
      throw unavailableError(
        { file: options.file },
        'its disk offers no write-ahead log',
        'Keep the journal in a file on a local disk.',
      );
    } catch (error) {
      if (driver.codeOf(error) !== 'SQLITE_BUSY' || Date.now() >= until) throw error;
      Atomics.wait(pause, 0, 0, WAL_RETRY_MS);
    }
  }
}

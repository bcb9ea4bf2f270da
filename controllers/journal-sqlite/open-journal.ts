import { resolve } from 'node:path';
import type { Digests } from './chain.ts';
import type { SqlDatabase } from './driver.ts';
import { assertKey, readIdentity } from './identity.ts';
import { findDriver, openDatabase } from './open-database.ts';
import { systemProcesses } from './owner.ts';
import { SqliteJournal } from './sqlite-journal.ts';

const BUSY_TIMEOUT_MS = 5_000;
const KEY_VARIABLE = 'TELO_XMD_JOURNAL_KEY';

export interface OpenJournalOptions {
  /** Resolved against the working directory. */
  readonly file: string;
  /** Whether a missing file is made; true when not stated. */
  readonly create?: boolean;
  /** How long a call waits for another process's transaction. */
  readonly busyTimeoutMs?: number;
  /**
   * The key of its digests, at least 16 characters; unstated, TELO_XMD_JOURNAL_KEY, and without that none: the digests
   * then find accidents alone.
   */
  readonly key?: string;
  /** The clock, in epoch milliseconds. */
  readonly now?: () => number;
}

/**
 * Opens a journal. Effect: makes the file and its folder, private to this user, when `create` allows it.
 *
 * @throws InvokeError ERR_DURABLE_JOURNAL_NOT_FOUND for a missing file that must not be made
 * @throws InvokeError ERR_DURABLE_JOURNAL_KEY for a journal that was made with another key, or with none
 * @throws InvokeError ERR_DURABLE_JOURNAL_VERSION, _CORRUPT, _LOCKED, _READONLY, _UNAVAILABLE
 * @see kernel-specs/journal-store.md J-01
 */
export async function openJournal(options: OpenJournalOptions): Promise<SqliteJournal> {
  const file = resolve(options.file);
  const key = options.key ?? (process.env[KEY_VARIABLE] || undefined);
  assertKey(key, file);
  const driver = await findDriver(file);
  const database = openDatabase(driver, {
    file,
    create: options.create ?? true,
    busyTimeoutMs: options.busyTimeoutMs ?? BUSY_TIMEOUT_MS,
    ...(key === undefined ? {} : { key }),
  });
  return new SqliteJournal({
    database,
    digests: identityOf(database, file, key),
    driver,
    file,
    now: options.now ?? Date.now,
    processes: systemProcesses(),
  });
}

function identityOf(database: SqlDatabase, file: string, key: string | undefined): Digests {
  try {
    return readIdentity(database, file, key);
  } catch (error) {
    database.close();
    throw error;
  }
}

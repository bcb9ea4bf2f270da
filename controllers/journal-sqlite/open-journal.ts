import { resolve } from 'node:path';
import { findDriver, openDatabase } from './open-database.ts';
import { systemProcesses } from './owner.ts';
import { SqliteJournal } from './sqlite-journal.ts';

const BUSY_TIMEOUT_MS = 5_000;

export interface OpenJournalOptions {
  /** Resolved against the working directory. */
  readonly file: string;
  /** Whether a missing file is made; true when not stated. */
  readonly create?: boolean;
  /** How long a call waits for another process's transaction. */
  readonly busyTimeoutMs?: number;
  /** The clock, in epoch milliseconds. */
  readonly now?: () => number;
}

/**
 * Opens a journal. Effect: makes the file and its folder, private to this user, when `create` allows it.
 *
 * @throws InvokeError ERR_DURABLE_JOURNAL_NOT_FOUND for a missing file that must not be made
 * @throws InvokeError ERR_DURABLE_JOURNAL_VERSION, _CORRUPT, _LOCKED, _READONLY, _UNAVAILABLE
 * @see kernel-specs/journal-store.md J-01
 */
export async function openJournal(options: OpenJournalOptions): Promise<SqliteJournal> {
  const file = resolve(options.file);
  const driver = await findDriver(file);
  const database = openDatabase(driver, {
    file,
    create: options.create ?? true,
    busyTimeoutMs: options.busyTimeoutMs ?? BUSY_TIMEOUT_MS,
  });
  return new SqliteJournal({
    database,
    driver,
    file,
    now: options.now ?? Date.now,
    processes: systemProcesses(),
  });
}

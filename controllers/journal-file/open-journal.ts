import { mkdirSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { notFoundError, unavailableError } from '../journal-sqlite/errors.ts';
import { type ProcessTable, systemProcesses } from '../journal-sqlite/owner.ts';
import { FileJournal } from './file-journal.ts';

const LOCK_TIMEOUT_MS = 5_000;

export interface OpenFileJournalOptions {
  /** Resolved against the working directory. */
  readonly directory: string;
  /** Whether a missing folder is made; true when not stated. */
  readonly create?: boolean;
  /** How long a call waits for another process that writes to the same run, in milliseconds. */
  readonly lockTimeoutMs?: number;
  /** The clock, in epoch milliseconds. */
  readonly now?: () => number;
  /** What is known of other processes; the operating system's when not stated. */
  readonly processes?: ProcessTable;
}

/**
 * Opens a folder of journal files in Telo's format. Effect: makes the folder, private to this user, when `create` allows it.
 *
 * @throws InvokeError ERR_DURABLE_JOURNAL_NOT_FOUND for a missing folder that must not be made
 * @throws InvokeError ERR_DURABLE_JOURNAL_UNAVAILABLE for what is no folder
 * @see kernel-specs/journal-file.md JF-01
 */
export function openJournal(options: OpenFileJournalOptions): FileJournal {
  const directory = resolve(options.directory);
  if (options.create ?? true) make(directory);
  const found = statSync(directory, { throwIfNoEntry: false });
  if (found === undefined) throw notFoundError({ file: directory });
  if (!found.isDirectory()) throw unavailableError({ file: directory }, 'it is no folder', 'Name a folder.');
  return new FileJournal({
    directory,
    now: options.now ?? Date.now,
    processes: options.processes ?? systemProcesses(),
    lockTimeoutMs: options.lockTimeoutMs ?? LOCK_TIMEOUT_MS,
  });
}

function make(directory: string): void {
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
  } catch (error) {
    const hint = 'Choose a folder that this user may write.';
    throw unavailableError({ file: directory }, 'it cannot be created', hint, error);
  }
}

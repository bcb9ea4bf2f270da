import { copyFileSync, mkdtempSync, rmSync, statSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { codeOf } from '@telorun/sdk';
import type { FencedJournal } from '@telorun/sdk/journal';
import type { Backend, StorePlace } from '../../conformance/index.ts';
import { journalBackend } from '../../conformance/index.ts';
import { openJournal as openFileJournal } from '../../controllers/journal-file/index.ts';
import type { SqlDriver } from '../../controllers/journal-sqlite/driver.ts';
import { betterDriver } from '../../controllers/journal-sqlite/driver-better.ts';
import { nodeDriver } from '../../controllers/journal-sqlite/driver-node.ts';
import { readIdentity } from '../../controllers/journal-sqlite/identity.ts';
import { openDatabase } from '../../controllers/journal-sqlite/open-database.ts';
import { systemProcesses } from '../../controllers/journal-sqlite/owner.ts';
import { SqliteJournal } from '../../controllers/journal-sqlite/sqlite-journal.ts';
import { MemoryStore } from '../support/memory-journal.ts';
import { memoryHandle } from './memory-backend.ts';

/** A store that several journals share in this process. */
function memoryStore(): StorePlace {
  const store = new MemoryStore();
  return { connect: async () => store.connect(), dispose: () => undefined };
}

/** A SQLite file in a folder of its own, through one driver. */
function sqliteStore(driver: SqlDriver): StorePlace {
  const folder = mkdtempSync(join(tmpdir(), 'conformance-store-'));
  let file = join(folder, 'runs.db');
  const open = (): FencedJournal => {
    const database = openDatabase(driver, { file, create: true, busyTimeoutMs: 5_000 });
    const digests = readIdentity(database, file, undefined);
    return new SqliteJournal({ database, digests, driver, file, now: Date.now, processes: systemProcesses() });
  };
  // While one connection is open, what is committed stays in the write-ahead log.
  const keeper = open();
  return {
    connect: async () => open(),
    tear: async () => {
      const torn = join(folder, 'torn.db');
      for (const end of ['', '-wal']) copyFileSync(`${file}${end}`, `${torn}${end}`);
      truncateSync(`${torn}-wal`, statSync(`${torn}-wal`).size - 100);
      file = torn;
    },
    dispose: () => {
      keeper.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function sqlite(driver: SqlDriver): Backend {
  return journalBackend({ name: `SQLite by ${driver.name}`, open: async () => sqliteStore(driver) });
}

const memoryJournal = journalBackend({
  name: 'the embedded kernel over a journal in memory',
  cannot: ['tearing'],
  open: async () => memoryStore(),
});

/** A folder of files, one for each run. */
function fileStore(): StorePlace {
  const directory = mkdtempSync(join(tmpdir(), 'conformance-files-'));
  return {
    connect: async () => openFileJournal({ directory }),
    tear: async (run) => {
      const file = join(directory, `${encodeURIComponent(run)}.ndjson`);
      truncateSync(file, statSync(file).size - 20);
    },
    dispose: () => rmSync(directory, { recursive: true, force: true }),
  };
}

const files = journalBackend({ name: 'files in the format of a Telo kernel', open: async () => fileStore() });

/**
 * The drivers that this Node has: its own from 22.5 on, and better-sqlite3 as it was built, for one Node. Without one of its
 * own it needs that: nothing is left out in silence.
 */
async function driversHere(): Promise<readonly SqlDriver[]> {
  const [own, native] = [nodeDriver(), await betterDriver()];
  if (own === undefined) return [native];
  try {
    await sqliteStore(native).dispose();
    return [native, own];
  } catch (error) {
    if (codeOf(error) === 'ERR_DLOPEN_FAILED') return [own];
    throw error;
  }
}

/** Every backend of this repository. */
export const backends: readonly Backend[] = [memoryHandle, memoryJournal, files, ...(await driversHere()).map(sqlite)];

import type { ResourceContext, ResourceInstance, ResourceManifest } from '@telorun/sdk';
import type { FencedJournal } from '@telorun/sdk/journal';
import { keyError } from './errors.ts';
import { openJournal } from './open-journal.ts';

/** Where a journal is when neither its resource nor the environment says so; resolved against the working directory. */
const DEFAULT_FILE = '.telo/runs.db';
const KEY_VARIABLE = 'TELO_XMD_JOURNAL_KEY';
const FILE_VARIABLE = 'TELO_XMD_JOURNAL';

/**
 * The kind `DurableJournalSqlite.Journal`. Effect: opens the file, makes it when it is missing.
 *
 * @throws InvokeError ERR_DURABLE_JOURNAL_* when the file cannot be used
 * @see kernel-specs/journal-store.md J-01
 */
export async function create(
  resource: ResourceManifest,
  ctx: Pick<ResourceContext, 'env'>,
): Promise<FencedJournal & ResourceInstance> {
  const stated = resource['file'];
  const file = typeof stated === 'string' ? stated : ctx.env[FILE_VARIABLE] || DEFAULT_FILE;
  const key = resource['key'] ?? (ctx.env[KEY_VARIABLE] || undefined);
  // Never taken for no key: an application that states one relies on it.
  if (key !== undefined && typeof key !== 'string') throw keyError({ file }, 'too-short');
  const journal = await openJournal(key === undefined ? { file } : { file, key });
  return Object.assign(journal, {
    snapshot: () => ({ file: journal.files[0] }),
    teardown: () => journal.close(),
  });
}

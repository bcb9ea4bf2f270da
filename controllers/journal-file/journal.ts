import type { ResourceInstance, ResourceManifest } from '@telorun/sdk';
import type { FencedJournal } from '@telorun/sdk/journal';
import { unavailableError } from '../journal-sqlite/errors.ts';
import { openJournal } from './open-journal.ts';

/**
 * The kind `DurableJournalFile.Journal`. Effect: makes its folder when it is missing.
 *
 * @throws InvokeError ERR_DURABLE_JOURNAL_UNAVAILABLE when the folder cannot be used
 * @see kernel-specs/journal-file.md JF-01
 */
export async function create(resource: ResourceManifest): Promise<FencedJournal & ResourceInstance> {
  const directory = resource['directory'];
  if (typeof directory !== 'string' || directory === '') {
    throw unavailableError({ file: '' }, 'no directory is stated', 'State directory, the folder of the journal.');
  }
  const journal = openJournal({ directory });
  return Object.assign(journal, {
    snapshot: () => ({ directory: journal.files[0] }),
    teardown: () => journal.close(),
  });
}

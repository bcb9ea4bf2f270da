import type { WholeRun } from '@telorun/sdk/journal';
import type { Store } from './store.ts';
import { teloRun } from './transfer/telo-run.ts';

/**
 * Writes a whole run unless there is one of its id; answers whether it did. Durable: the file of the run appears whole or
 * not at all, behind what is noted beside it.
 *
 * @throws InvokeError ERR_DURABLE_RUN_ID_INVALID, ERR_DURABLE_UNJOURNALABLE_VALUE, ERR_DURABLE_JOURNAL_*
 */
export function adopt(store: Store, whole: WholeRun): boolean {
  const { lines, notes } = teloRun(whole, store.now());
  return store.writing(whole.record.run, (found) => {
    if (found.known) return false;
    found.discardOwn();
    const files = store.anew(whole.record.run);
    files.note(notes);
    files.place(lines.join(''));
    files.close();
    return true;
  });
}

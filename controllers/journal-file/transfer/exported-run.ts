import type { WholeRun } from '@telorun/sdk/journal';
import { teloRun } from './telo-run.ts';
import { NOTE_PATH, noteLine } from './transfer-note.ts';

/**
 * The lines that a run is exported as, each with its end: Telo's lines, the second of them an entry that says what those
 * have no place for. ASCII, so that no encoding alters them and no terminal obeys them. Pure.
 *
 * @throws InvokeError ERR_DURABLE_UNJOURNALABLE_VALUE
 * @see kernel-specs/transfer.md TR-01
 */
export function exportedRun(whole: WholeRun, now: number): readonly string[] {
  // A file of an export that somebody put into a folder of journal files still has its own.
  const entries = whole.entries.filter(({ path }) => path !== NOTE_PATH);
  const { lines, notes } = teloRun({ ...whole, entries }, now);
  const [head = '', ...rest] = lines.map(ascii);
  return [head, ascii(noteLine([head, ...rest], notes)), ...rest];
}

/** JSON text with every other character in the escapes of JSON, the end of the line kept. Pure. */
function ascii(line: string): string {
  return line.replaceAll(/[^\u0020-\u007e\n]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

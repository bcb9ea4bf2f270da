import { createHash } from 'node:crypto';
import { encodeJsonValue } from '@telorun/sdk';
import { UnreadableRecord } from '../../journal-sqlite/errors.ts';
import { type OwnLine, readOwnLine } from '../own-line.ts';
import { entryLine } from '../run-line.ts';
import { numberIn, own, shapeOf, textIn } from '../shapes.ts';

/**
 * Where an exported run says what Telo's format has no place for: an entry like any other, at a path that no step has, so
 * that a Telo kernel passes over it. It is the second line of the file.
 */
export const NOTE_PATH = 'transfer';
const VERSION = 1;
const MEMBERS: ReadonlySet<string> = new Set(['version', 'lines', 'digest', 'notes']);

export interface TransferNote {
  /** Lines of the file as it was exported. */
  readonly lines: number;
  /** Over those lines but this one, and the notes as they are spelled. */
  readonly digest: string;
  readonly notes: readonly OwnLine[];
  /** The notes as one text of JSON. */
  readonly spelled: string;
}

/** The second line of an export: `others` are all the other ones, as they are written. Pure. */
export function noteLine(others: readonly string[], notes: readonly OwnLine[]): string {
  const spelled = notes.map((note) => encodeJsonValue(note));
  const digest = digestOf([...others, JSON.stringify(spelled)]);
  const value = { version: VERSION, lines: others.length + 1, digest, notes: spelled };
  return entryLine({ path: NOTE_PATH, kind: 'decision', decision: 'value' }, JSON.stringify(value));
}

/** Read closed. Pure. Throws UnreadableRecord for what no export writes. */
export function readNote(value: unknown): TransferNote {
  const note = shapeOf(value, 'what the export says of itself');
  const stranger = Object.keys(note).find((member) => !MEMBERS.has(member));
  if (stranger !== undefined) throw new UnreadableRecord('the export says of itself what no export says');
  const version = numberIn(note, 'version');
  if (version !== VERSION) throw new UnreadableRecord(`it is of version ${String(version)}, this release reads 1`);
  const notes = own(note, 'notes');
  if (!Array.isArray(notes)) throw new UnreadableRecord('"notes" is no list');
  const read = notes.map((one) => readOwnLine(one));
  // Whoever held the run where it came from does not hold it here.
  if (read.some(({ type }) => type === 'claim')) throw new UnreadableRecord('it states a claim');
  return {
    lines: numberIn(note, 'lines'),
    digest: textIn(note, 'digest'),
    notes: read,
    spelled: JSON.stringify(notes),
  };
}

/** `sha256:` over texts, one behind the other. It finds accidents; anyone can make it anew. Pure. */
export function digestOf(texts: Iterable<string | Uint8Array>): string {
  const hash = createHash('sha256');
  for (const text of texts) hash.update(text);
  return `sha256:${hash.digest('hex')}`;
}

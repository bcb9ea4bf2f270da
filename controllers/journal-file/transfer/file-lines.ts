import { UnreadableRecord } from '../../journal-sqlite/errors.ts';
import { UnreadableLine } from '../errors.ts';
import { parseLine } from '../text.ts';
import { assertKnownMembers } from './known-members.ts';
import { hasInexactNumber } from './inexact-number.ts';

/** What Node can hold as one text, with room to spare. */
const FILE_BYTES_MAX = 256 << 20;
const NEWLINE = 10;

/** A line of a file of an export. */
export interface FileLine {
  /** From 1. */
  readonly number: number;
  /** With its end. */
  readonly bytes: Uint8Array;
  readonly value: unknown;
  /** Whether a number in it is more than readers of JSON hold. */
  readonly inexact: boolean;
}

/**
 * The lines of a file that anybody may have written. A last line without its end is refused: nothing tells a copy that was
 * cut short from a write that was. Pure. Throws UnreadableRecord.
 */
export function linesOf(bytes: Uint8Array, file: string): readonly FileLine[] {
  if (bytes.length > FILE_BYTES_MAX) throw new UnreadableRecord('it is larger than 256 MiB');
  if (bytes.length === 0) throw new UnreadableRecord('it is empty');
  if (bytes.at(-1) !== NEWLINE) throw new UnreadableRecord('its last line has no end');
  const lines: FileLine[] = [];
  for (let start = 0; start < bytes.length;) {
    const end = bytes.indexOf(NEWLINE, start) + 1;
    const line = bytes.subarray(start, end);
    lines.push(atLine(file, lines.length + 1, () => readLine(line, lines.length + 1)));
    start = end;
  }
  return lines;
}

/** Says at which line it is that `read` finds damaged. */
export function atLine<T>(file: string, line: number, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw error instanceof UnreadableRecord ? new UnreadableLine({ file, line }, error) : error;
  }
}

function readLine(bytes: Uint8Array, number: number): FileLine {
  const text = decoded(bytes);
  const value = parseLine(text);
  assertKnownMembers(value);
  return { number, bytes, value, inexact: hasInexactNumber(text) };
}

function decoded(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) throw new UnreadableRecord('it is not UTF-8 text', {}, { cause: error });
    throw error;
  }
}

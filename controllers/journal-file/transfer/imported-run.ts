import { InvokeError, encodeJsonValue } from '@telorun/sdk';
import type { JournalEntry, RunRecord, WholeRun } from '@telorun/sdk/journal';
import { UnreadableRecord } from '../../journal-sqlite/errors.ts';
import { UnreadableLine } from '../errors.ts';
import { recordIn } from '../run-record.ts';
import { type TeloLine, readTeloLine } from '../run-line.ts';
import { RunState } from '../run-state.ts';
import { shapeOf, textIn } from '../shapes.ts';
import { waitRecord } from '../waits.ts';
import { ExactNotes } from './exact-notes.ts';
import { type FileLine, atLine, linesOf } from './file-lines.ts';
import { assertKeepable } from './keepable.ts';
import { NOTE_PATH, type TransferNote, digestOf, readNote } from './transfer-note.ts';

export interface ImportOptions {
  /** How messages name it. */
  readonly file: string;
  /** Epoch milliseconds: since when a wait is, of which nothing says so. */
  readonly now: number;
}

/** A line as it was read closed. */
type ReadLine = TeloLine & Pick<FileLine, 'number' | 'inexact'>;

/**
 * The run that a file holds, which `exportedRun` or a Telo kernel wrote. Pure.
 *
 * @throws InvokeError ERR_DURABLE_TRANSFER_INVALID `{file, line?}` for a file that neither wrote, or that lacks what
 * continuing the run needs
 * @see kernel-specs/transfer.md TR-10
 */
export function importedRun(bytes: Uint8Array, options: ImportOptions): WholeRun {
  try {
    const whole = read(bytes, options);
    assertKeepable(whole);
    return whole;
  } catch (error) {
    throw error instanceof UnreadableRecord ? invalidError(error, options.file) : error;
  }
}

function read(bytes: Uint8Array, { file, now }: ImportOptions): WholeRun {
  const raw = linesOf(bytes, file);
  const run = atLine(file, 1, () => textIn(shapeOf(raw[0]?.value, 'a line'), 'run'));
  const lines = raw.map((line): ReadLine => {
    const { number, inexact } = line;
    return atLine(file, number, () => ({ ...readTeloLine(line.value, run), number, inexact }));
  });
  const note = noteOf(lines, file);
  if (note !== undefined) assertWhole(raw, note);
  const exact = new ExactNotes(run, note?.notes ?? []);
  const state = new RunState(run);
  for (const one of note?.notes ?? []) state.takeOwn({ value: encodeJsonValue(one), start: 0, length: 0 });
  for (const { number, value } of raw) {
    atLine(file, number, () => state.takeTelo({ value, start: number, length: 0 }));
  }
  const entries = entriesOf(lines, { file, state, exact });
  const { program, ...record } = recordOf(lines, { file, state, exact });
  return {
    record:
      program === undefined || (note !== undefined && isExecutedElsewhere(lines, note))
        ? record
        : { ...record, program },
    entries,
    waits: state.waits().map((wait) => waitRecord(run, wait, now)),
  };
}

/** What an export says of itself; undefined for a file of a Telo kernel. */
function noteOf(lines: readonly ReadLine[], file: string): TransferNote | undefined {
  const [said, another] = lines.filter((line) => line.type === 'entry' && line.entry.path === NOTE_PATH);
  if (said?.type !== 'entry') return undefined;
  return atLine(file, another?.number ?? said.number, () => {
    if (said.number !== 2 || another !== undefined || said.inexact || said.entry.kind !== 'decision') {
      throw new UnreadableRecord('what an export says of itself is not where an export says it');
    }
    return readNote(said.entry.value);
  });
}

/** A file that was cut short at the end of a line, or changed, is not the run that was exported. */
function assertWhole(raw: readonly FileLine[], { lines, digest, spelled }: TransferNote): void {
  if (raw.length < lines) throw new UnreadableRecord('lines are missing that were exported');
  const exported = raw.filter(({ number }) => number <= lines && number !== 2);
  if (digestOf([...exported.map(({ bytes }) => bytes), spelled]) !== digest)
    throw new UnreadableRecord('it is not what was exported');
}

interface Known {
  readonly file: string;
  readonly state: RunState;
  readonly exact: ExactNotes;
}

/** As Telo reads them: the first at a path counts. */
function entriesOf(lines: readonly ReadLine[], { file, state, exact }: Known): readonly JournalEntry[] {
  const entries: JournalEntry[] = [];
  for (const line of lines) {
    if (line.type !== 'entry' || line.entry.path === NOTE_PATH) continue;
    const { number, entry, inexact } = line;
    const { path, target } = entry;
    if (state.entries.get(path)?.start !== number) continue;
    atLine(file, number, () => {
      if (inexact && !exact.has('entry', path)) throw inexactNumber();
      const module = target?.module ?? state.moduleAt(path);
      entries.push({
        ...entry,
        ...(target === undefined || module === undefined ? {} : { target: { ...target, module } }),
        ...('value' in entry ? { value: exact.value('entry', path, entry.value) } : {}),
      });
    });
  }
  return entries;
}

function recordOf(lines: readonly ReadLine[], { file, state, exact }: Known): RunRecord {
  for (const { number, inexact, ...line } of lines) {
    if (line.type !== 'run' || !inexact) continue;
    const parts = (['inputs', 'result'] as const).filter((part) => part in line.run);
    if (!parts.every((part) => exact.has(part, ''))) atLine(file, number, () => throwing(inexactNumber()));
  }
  return recordIn(state, {
    value: (of, plain) => exact.value(of, '', plain),
    error: (plain) => exact.error(plain),
  });
}

/**
 * Whether another kernel has performed steps since the export, under paths of its own: the run is another's then. Answers
 * to what the run waited for are nobody's steps. Pure.
 */
function isExecutedElsewhere(lines: readonly ReadLine[], { lines: exported, notes }: TransferNote): boolean {
  const waited = new Set(notes.flatMap((note) => (note.type === 'wait' ? [note.wait.path] : [])));
  return lines.some((line) => {
    if (line.type !== 'entry' || line.number <= exported) return false;
    const { kind, path, target } = line.entry;
    return kind !== 'step' || target !== undefined || !waited.has(path);
  });
}

function inexactNumber(): UnreadableRecord {
  return new UnreadableRecord('it holds a number that would be rounded');
}

function throwing(error: Error): never {
  throw error;
}

function invalidError(error: UnreadableRecord, file: string): InvokeError {
  const line = error instanceof UnreadableLine ? { line: error.line } : {};
  const where = 'line' in line ? `, line ${String(line.line)}` : '';
  return new InvokeError(
    'ERR_DURABLE_TRANSFER_INVALID',
    `Cannot import the run: ${error.message}${where}.`,
    { file, ...line, hint: 'Export the run again, or copy its file whole.' },
    { cause: error },
  );
}

import { unlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { JournalEntry, RunError } from '@telorun/sdk/journal';
import { UnreadableRecord, unavailableError } from '../journal-sqlite/errors.ts';
import { LogFile } from './log-file.ts';
import { fileName, stemOf } from './names.ts';
import { type ExactPart, type OwnLine, ownLine, readOwnLine } from './own-line.ts';
import { readError } from './run-line.ts';
import { RunState, entryIn } from './run-state.ts';
import { keptText } from './text.ts';

/** The two folders of a journal. */
export interface Folders {
  /** Telo's: one file a run, nothing else. */
  readonly runs: string;
  /** Ours, beside it. */
  readonly own: string;
}

/** The lock of a run's files. Pure. @throws InvokeError ERR_DURABLE_RUN_ID_INVALID */
export function lockOf({ own }: Folders, run: string): string {
  return join(own, `${stemOf(run)}.lock`);
}

/** The two files of one run, and what is known of them. */
export class RunFiles {
  readonly run: string;
  readonly #telo: LogFile;
  readonly #own: LogFile;
  readonly state: RunState;

  constructor(folders: Folders, run: string) {
    const stem = stemOf(run);
    this.run = run;
    this.#telo = new LogFile(join(folders.runs, fileName(stem)));
    this.#own = new LogFile(join(folders.own, fileName(stem)));
    this.state = new RunState(run);
  }

  get file(): string {
    return this.#telo.path;
  }

  /** Whether both files are still those that were read. */
  get current(): boolean {
    const [telo, own] = [this.#telo.look(), this.#own.look()];
    return (
      (telo === 'same' || (telo === 'none' && !this.known)) && (own === 'same' || this.#own.identity === undefined)
    );
  }

  /** Whether the run has a first line. */
  get known(): boolean {
    return this.state.line !== undefined;
  }

  /** Reads what was added. Our own file first: whatever it says came before the line in Telo's format that it is for. */
  refresh(): void {
    this.#own.readNew((line) => this.state.takeOwn(line));
    this.#telo.readNew((line) => this.state.takeTelo(line));
  }

  /** @throws InvokeError ERR_DURABLE_JOURNAL_UNAVAILABLE when the files are not those that this claim was made in */
  assertInPlace(): void {
    if (this.current) return;
    const detail = 'its file was moved, removed or replaced while a run of it was being executed';
    throw unavailableError(
      { file: this.file, run: this.run },
      detail,
      'Put it back where it was, then resume the run.',
    );
  }

  /** Effect: adds lines to our own file; flushed, unless their loss costs nothing. */
  note(lines: readonly OwnLine[], options?: { readonly lazily: boolean }): void {
    if (lines.length === 0) return;
    this.#own.create();
    this.#own.append(lines.map(ownLine).join(''), options);
    this.#own.readNew((line) => this.state.takeOwn(line));
  }

  /** Effect: adds lines to the file in Telo's format, flushed, and takes them in as they stand there. */
  write(text: string): void {
    this.#telo.append(text);
    this.#telo.readNew((line) => this.state.takeTelo(line));
  }

  /** Effect: makes the file of a new run, empty. */
  create(): void {
    this.#telo.create();
  }

  /** Effect: makes the file of a run that comes as a whole, at once. */
  place(text: string): void {
    this.#telo.place(text, `${this.#own.path}.new`);
    this.#telo.readNew((line) => this.state.takeTelo(line));
  }

  /** Effect: what an earlier run of this name has left beside its file goes. */
  discardOwn(): void {
    if (this.#own.look() !== 'none') unlinkSync(this.#own.path);
    this.close();
  }

  /** The text that a value stands as in Telo's format; where that is inexact, the value is noted beside it first. */
  plain(of: ExactPart, path: string, value: unknown): string | undefined {
    const { plain, exact } = keptText(value, { run: this.run, path });
    if (exact !== undefined) this.note([{ type: 'exact', of, path, value }]);
    return plain;
  }

  /** Every entry, in the order of writing; the first at a path counts. */
  entries(): readonly JournalEntry[] {
    const found: JournalEntry[] = [];
    this.#telo.readAll(({ value, start }) => {
      const path = pathIn(value);
      if (path === undefined || this.state.entries.get(path)?.start !== start) return;
      found.push(this.#exactly(entryIn(value, this.run)));
    });
    return found;
  }

  entry(path: string): JournalEntry | undefined {
    const place = this.state.entries.get(path);
    if (place === undefined) return undefined;
    return this.#exactly(entryIn(this.#telo.readAt(place.start, place.length), this.run));
  }

  /** What was noted beside a value that Telo's format holds inexactly, as long as it belongs to it. */
  exact(of: ExactPart, path: string, plain: unknown): unknown {
    const noted = this.#noted(of, path);
    if (noted === undefined) return plain;
    const text = keptText(noted.value, { run: this.run, path }).plain;
    return text !== undefined && JSON.stringify(JSON.parse(text)) === JSON.stringify(plain) ? noted.value : plain;
  }

  /** The whole of an error of which Telo's format keeps code and message. */
  notedError(): RunError | undefined {
    const noted = this.#noted('error', '');
    return noted === undefined ? undefined : readError(noted.value);
  }

  close(): void {
    this.#telo.close();
    this.#own.close();
  }

  #noted(of: ExactPart, path: string): { readonly value: unknown } | undefined {
    const place = this.state.exactAt(of, path);
    if (place === undefined) return undefined;
    const line = readOwnLine(this.#own.readAt(place.start, place.length));
    if (line.type !== 'exact') throw new UnreadableRecord('a noted value cannot be found');
    return line;
  }

  #exactly(entry: JournalEntry): JournalEntry {
    const { target } = entry;
    const module = target?.module === undefined ? this.state.moduleAt(entry.path) : undefined;
    return this.#withValue(
      target === undefined || module === undefined ? entry : { ...entry, target: { ...target, module } },
    );
  }

  #withValue(entry: JournalEntry): JournalEntry {
    if (this.state.exactParts === 0 || !('value' in entry)) return entry;
    return { ...entry, value: this.exact('entry', entry.path, entry.value) };
  }
}

function pathIn(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null || !('entry' in value)) return undefined;
  const { entry } = value;
  if (typeof entry !== 'object' || entry === null || !('path' in entry)) return undefined;
  return typeof entry.path === 'string' ? entry.path : undefined;
}

import {
  closeSync,
  constants,
  fdatasyncSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readSync,
  renameSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { UnreadableRecord } from '../journal-sqlite/errors.ts';
import { LockedError, UnreadableLine, errnoOf } from './errors.ts';
import { parseLine } from './text.ts';

const CHUNK_BYTES = 1 << 20;
/** What Node can hold as one text, with room to spare. */
const LINE_BYTES_MAX = 256 << 20;
const NEWLINE = 10;
// Neither a link nor a pipe is a journal; opening one must not lead elsewhere, nor wait.
const SAFELY = constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** A line of a log with its place in the file, in bytes. */
export interface LogLine {
  readonly value: unknown;
  readonly start: number;
  readonly length: number;
}

/**
 * One append-only file of JSON lines. It remembers how far it has been read, so that what others added is read once and
 * nothing is read again. A last line without its end is not there: it is cut off by the next append.
 */
export class LogFile {
  readonly path: string;
  #fd: number | undefined;
  #writable = false;
  #identity: string | undefined;
  #end = 0;
  #lines = 0;

  constructor(path: string) {
    this.path = path;
  }

  /** Bytes that have been read: the end of the last whole line. */
  get end(): number {
    return this.#end;
  }

  /** Device and inode of the file as it was opened; undefined before. */
  get identity(): string | undefined {
    return this.#identity;
  }

  /** What stands at the path now: `same`, `other` (moved, replaced, cut short), or `none`. Effect: asks the system. */
  look(): 'same' | 'other' | 'none' {
    const found = statSync(this.path, { bigint: true, throwIfNoEntry: false });
    if (found === undefined) return 'none';
    if (this.#identity === undefined) return 'other';
    return identity(found) === this.#identity && found.size >= BigInt(this.#end) ? 'same' : 'other';
  }

  /** Calls `take` for every whole line that was added since the last time. Throws UnreadableLine where `take` cannot read one. */
  readNew(take: (line: LogLine) => void): void {
    const fd = this.#open(false);
    if (fd === undefined) return;
    const size = fstatSync(fd).size;
    let pending: Buffer[] = [];
    let held = 0;
    for (let at = this.#end; at < size;) {
      const chunk = readUpTo(fd, at, Math.min(CHUNK_BYTES, size - at));
      if (chunk.length === 0) return;
      at += chunk.length;
      let from = 0;
      for (let cut = chunk.indexOf(NEWLINE); cut >= 0; cut = chunk.indexOf(NEWLINE, from)) {
        pending.push(chunk.subarray(from, cut));
        this.#take(pending, take);
        pending = [];
        held = 0;
        from = cut + 1;
      }
      if (from < chunk.length) pending.push(chunk.subarray(from));
      held += chunk.length - from;
      if (held > LINE_BYTES_MAX) throw this.#unreadable(new UnreadableRecord('a line is longer than any record'));
    }
  }

  /** Every whole line up to what has been read, anew. */
  readAll(take: (line: LogLine) => void): void {
    const again = new LogFile(this.path);
    const { end } = this;
    try {
      again.readNew((line) => {
        if (line.start < end) take(line);
      });
    } finally {
      again.close();
    }
  }

  /** One line that has been read before. */
  readAt(start: number, length: number): unknown {
    const fd = this.#open(false);
    if (fd === undefined) throw new UnreadableRecord('a line that was read before is gone');
    return parseLine(readUpTo(fd, start, length).toString('utf8'));
  }

  /**
   * Adds whole lines after what has been read. Effect: one write, flushed to the disk unless `lazily`. When it throws,
   * the file ends where it did before.
   */
  append(text: string, { lazily = false } = {}): void {
    const bytes = Buffer.from(text);
    const fd = this.#open(true);
    if (fd === undefined) throw new UnreadableRecord('the file is gone');
    const start = this.#end;
    this.#cutTornLine(fd, fstatSync(fd).size);
    try {
      for (let done = 0; done < bytes.length;) done += writeSync(fd, bytes, done, bytes.length - done, start + done);
      if (!lazily) fdatasyncSync(fd);
    } catch (error) {
      ftruncateSync(fd, start);
      throw error;
    }
  }

  /** Makes the file, private to this user, unless it is there. Effect: flushes its folder, so that the name stays. */
  create(): void {
    if (statSync(this.path, { throwIfNoEntry: false }) !== undefined) return;
    closeSync(openSync(this.path, constants.O_CREAT | constants.O_WRONLY | SAFELY, 0o600));
    flushFolder(this.path);
  }

  /**
   * Makes the file with all of its lines, private to this user. Effect: written and flushed under another name first, so
   * that whoever looks finds the whole or nothing; what stood at the path is gone.
   */
  place(text: string, draft: string): void {
    const fd = openSync(draft, constants.O_CREAT | constants.O_TRUNC | constants.O_WRONLY | SAFELY, 0o600);
    try {
      const bytes = Buffer.from(text);
      for (let done = 0; done < bytes.length;) done += writeSync(fd, bytes, done, bytes.length - done, done);
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    renameSync(draft, this.path);
    flushFolder(this.path);
  }

  close(): void {
    if (this.#fd !== undefined) closeSync(this.#fd);
    this.#fd = undefined;
    this.#writable = false;
  }

  /** What has no end is nobody's record; a whole line is, and was written just now by somebody who takes no lock. */
  #cutTornLine(fd: number, size: number): void {
    if (size <= this.#end) return;
    if (readUpTo(fd, this.#end, size - this.#end).includes(NEWLINE)) {
      throw new LockedError('somebody else writes to the run at this moment');
    }
    ftruncateSync(fd, this.#end);
  }

  #take(parts: readonly Buffer[], take: (line: LogLine) => void): void {
    const [only] = parts;
    const bytes = parts.length === 1 && only !== undefined ? only : Buffer.concat(parts);
    try {
      take({ value: parseLine(bytes.toString('utf8')), start: this.#end, length: bytes.length });
    } catch (error) {
      throw error instanceof UnreadableRecord ? this.#unreadable(error) : error;
    }
    this.#end += bytes.length + 1;
    this.#lines += 1;
  }

  #unreadable(error: UnreadableRecord): UnreadableLine {
    return new UnreadableLine({ file: this.path, line: this.#lines + 1 }, error);
  }

  #open(writing: boolean): number | undefined {
    if (this.#fd !== undefined && (this.#writable || !writing)) return this.#fd;
    try {
      const fd = openSync(this.path, (writing ? constants.O_RDWR : constants.O_RDONLY) | SAFELY);
      this.close();
      this.#fd = fd;
      this.#writable = writing;
    } catch (error) {
      if (errnoOf(error) === 'ENOENT') return undefined;
      if (errnoOf(error) === 'ELOOP') throw new UnreadableRecord('it is a symbolic link');
      throw error;
    }
    const found = fstatSync(this.#fd, { bigint: true });
    if (!found.isFile()) throw new UnreadableRecord('it is no regular file');
    this.#identity ??= identity(found);
    if (this.#identity !== identity(found)) throw new UnreadableRecord('it was replaced while it was open');
    return this.#fd;
  }
}

/** Effect: what a name in a folder stands for is on disk. */
function flushFolder(path: string): void {
  if (process.platform === 'win32') return;
  const folder = openSync(dirname(path), constants.O_RDONLY);
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

function identity({ dev, ino }: { readonly dev: bigint; readonly ino: bigint }): string {
  return `${String(dev)}:${String(ino)}`;
}

function readUpTo(fd: number, at: number, length: number): Buffer {
  const buffer = Buffer.allocUnsafe(length);
  let done = 0;
  while (done < length) {
    const read = readSync(fd, buffer, done, length - done, at + done);
    if (read === 0) break;
    done += read;
  }
  return buffer.subarray(0, done);
}

import type { BigIntStats, Stats } from 'node:fs';
import { OPEN, type SystemCalls } from './system-calls.ts';

/** Which directory or file something is, whatever it is called. */
export type Identity = Pick<Stats | BigIntStats, 'dev' | 'ino'>;

/** What a directory is held by, besides its path. */
interface HeldBy {
  readonly fd?: number;
  /** Whether the handle itself can be flushed; one to walk by cannot. */
  readonly flushable?: boolean;
  readonly confirm?: () => void;
}

/** Why directories are held: to read below them, or to change something there and flush it. */
export type Purpose = 'read' | 'change';

/**
 * One directory while something below it is used. `prefix` is where the system finds it: a handle of this process, or a
 * path that is looked at before and after.
 */
export class HeldDirectory {
  readonly #system: SystemCalls;
  readonly #prefix: string;
  readonly #fd: number | undefined;
  readonly #flushable: boolean;
  /** Throws when this directory is no longer the one that was walked to. */
  readonly confirm: () => void;

  constructor(system: SystemCalls, prefix: string, held: HeldBy) {
    this.#system = system;
    this.#prefix = prefix;
    this.#fd = held.fd;
    this.#flushable = held.flushable ?? false;
    this.confirm = held.confirm ?? (() => {});
  }

  /** Where the system finds one entry of this directory. `name` has no slash and is not `.` or `..`. */
  entry(name: string): string {
    return `${this.#prefix}/${name}`;
  }

  lstat(name: string): Stats | undefined {
    return this.#system.lstatSync(this.entry(name), { throwIfNoEntry: false });
  }

  identity(): Identity {
    return this.#fd === undefined ? this.#system.statSync(this.#prefix) : this.#system.fstatSync(this.#fd);
  }

  list(): string[] {
    return this.#system.readdirSync(this.#prefix);
  }

  /** Effect: makes entries that were created, renamed or removed here survive power loss. */
  flush(): void {
    // Windows cannot flush a directory, and needs not.
    if (process.platform === 'win32') {
      return;
    }
    if (this.#flushable && this.#fd !== undefined) {
      this.#system.fsyncSync(this.#fd);
      return;
    }
    const fd = this.#system.openSync(`${this.#prefix}/.`, OPEN.list);
    try {
      this.#system.fsyncSync(fd);
    } finally {
      this.#system.closeSync(fd);
    }
  }

  close(): void {
    if (this.#fd !== undefined) {
      this.#system.closeSync(this.#fd);
    }
  }
}

/** A way to hold directories. `descend` answers undefined when `name` is there but is no directory. */
export interface Holding {
  readonly guarantee: 'handles' | 'verified';
  /** Holds the root; to read, its path alone may do, which its owner vouches for. */
  root(root: string, purpose: Purpose): HeldDirectory;
  descend(parent: HeldDirectory, name: string, purpose: Purpose): HeldDirectory | undefined;
  /** Opens a file below a held directory, never through a link. */
  open(parent: HeldDirectory, name: string, how: { readonly flags: number; readonly mode?: number }): number;
}

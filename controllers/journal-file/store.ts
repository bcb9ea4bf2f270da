import { type Dirent, readdirSync, statSync } from 'node:fs';
import { codedError, errnoOf } from './errors.ts';
import { notFoundError, unavailableError } from '../journal-sqlite/errors.ts';
import type { ProcessTable } from '../journal-sqlite/owner.ts';
import { locked } from './lock.ts';
import { runOfName } from './names.ts';
import { type Folders, RunFiles, lockOf } from './run-files.ts';

/** Runs whose state is kept in memory beside those that are claimed here. */
const KEPT_MAX = 1_024;

export interface StoreOptions {
  /** Absolute. */
  readonly directory: string;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly processes: ProcessTable;
  /** Milliseconds. */
  readonly lockTimeoutMs: number;
}

/** The files of all runs: what is known of each, one writer at a time, and the codes of what the system answers. */
export class Store {
  readonly folders: Folders;
  readonly now: () => number;
  readonly processes: ProcessTable;
  readonly #lockTimeoutMs: number;
  readonly #kept = new Map<string, RunFiles>();
  readonly #pinned = new Set<string>();
  #open = true;
  #seen = '';
  #version = 0;

  constructor({ directory, now, processes, lockTimeoutMs }: StoreOptions) {
    this.folders = { runs: directory, own: `${directory}.xmd` };
    this.now = now;
    this.processes = processes;
    this.#lockTimeoutMs = lockTimeoutMs;
  }

  /** Does `work` on what the files of a run say now. Takes no lock. */
  reading<T>(run: string, work: (files: RunFiles) => T): T {
    return this.#coded(run, () => this.#with(run, work));
  }

  /** The same while no other process writes to the run. */
  writing<T>(run: string, work: (files: RunFiles) => T): T {
    return this.#coded(run, () => {
      const options = { processes: this.processes, timeoutMs: this.#lockTimeoutMs };
      this.version();
      try {
        return locked(lockOf(this.folders, run), options, () => this.#with(run, work));
      } finally {
        this.#seen = this.#times();
      }
    });
  }

  /** The runs that have a file, by name. A folder that is gone is an error, not an empty one. */
  runs(): readonly string[] {
    return this.#coded(undefined, () => {
      const names = this.#names().filter((entry) => entry.isFile());
      return names.map(({ name }) => runOfName(name)).filter((run) => run !== undefined);
    });
  }

  /** Keeps the files of a run open: this process executes it. */
  pin(run: string): void {
    this.#pinned.add(run);
  }

  unpin(run: string): void {
    this.#pinned.delete(run);
  }

  /** Forgets what is known of a run, so that its files are read from their beginning. */
  anew(run: string): RunFiles {
    this.#kept.get(run)?.close();
    const files = new RunFiles(this.folders, run);
    this.#kept.set(run, files);
    return files;
  }

  /** A number that changes when another process has written, or added a run. Effect: asks the system. */
  version(): number {
    const times = this.#times();
    if (times !== this.#seen) this.#version += 1;
    this.#seen = times;
    return this.#version;
  }

  close(): void {
    this.#open = false;
    for (const files of this.#kept.values()) files.close();
    this.#kept.clear();
  }

  /** The lock of each write is a name that comes and goes beside the files. */
  #times(): string {
    return [this.folders.runs, this.folders.own]
      .map((folder) => statSync(folder, { bigint: true, throwIfNoEntry: false })?.mtimeNs ?? 0n)
      .join(' ');
  }

  #with<T>(run: string, work: (files: RunFiles) => T): T {
    const files = this.#filesOf(run);
    try {
      files.refresh();
      return work(files);
    } catch (error) {
      // What was read before a damaged line is no state to go on from.
      if (!this.#pinned.has(run)) this.#kept.delete(run);
      throw error;
    } finally {
      if (!this.#pinned.has(run)) this.#kept.get(run)?.close();
      if (this.#kept.get(run) !== files) files.close();
    }
  }

  #filesOf(run: string): RunFiles {
    const known = this.#kept.get(run);
    if (known !== undefined) {
      if (this.#pinned.has(run)) known.assertInPlace();
      if (known.current) return known;
    }
    for (const old of this.#kept.keys()) {
      if (this.#kept.size < KEPT_MAX) break;
      if (!this.#pinned.has(old)) this.#kept.delete(old);
    }
    return this.anew(run);
  }

  #names(): readonly Dirent[] {
    try {
      return readdirSync(this.folders.runs, { withFileTypes: true });
    } catch (error) {
      if (errnoOf(error) === 'ENOENT') throw notFoundError({ file: this.folders.runs });
      throw error;
    }
  }

  #coded<T>(run: string | undefined, work: () => T): T {
    const place = { file: this.folders.runs, ...(run === undefined ? {} : { run }) };
    if (!this.#open) throw unavailableError(place, 'it is closed', 'Open the journal again.');
    try {
      return work();
    } catch (error) {
      throw codedError(error, place);
    }
  }
}

import { dirname, basename, join, sep } from 'node:path';
import { errnoOf, Obstacle } from './file-problem.ts';
import type { HeldDirectory, Identity } from './held-directory.ts';
import type { SystemCalls } from './system-calls.ts';
import { isTemporaryName } from './temporary-name.ts';

/** How long a look at the protected paths counts, for what has no second name. */
const SNAPSHOT_MS_MAX = 100;

const PROTECTED_FOLDER = '.telo';
/** Another spelling that some file system may take for `.telo`: other letters, or a short name. */
const OTHER_SPELLING = /[^\u0020-\u007D]|~/;

/** What the protected paths are at one moment. */
interface Snapshot {
  readonly paths: readonly string[];
  readonly takenAtMs: number;
  readonly places: readonly string[];
  readonly identities: ReadonlySet<string>;
  readonly folders: boolean;
  /** The root itself lies in something protected. */
  readonly everything: boolean;
}

/** One look at something that is about to be used. */
interface Candidate {
  readonly identity: (Identity & { readonly nlink?: number | bigint }) | undefined;
  /** Absolute place that was walked to, every link in it resolved. */
  readonly place: string;
}

/**
 * What a fragment never touches, whatever its profile states: compared by device and inode, and by place for what is not
 * there yet.
 *
 * @see kernel-specs/files.md FS-20 to FS-26
 */
export class Protection {
  readonly #system: SystemCalls;
  readonly #root: string;
  readonly #paths: () => readonly string[];
  #snapshot: Snapshot | undefined;

  constructor(system: SystemCalls, root: string, paths: () => readonly string[]) {
    this.#system = system;
    this.#root = root;
    this.#paths = paths;
  }

  /** Refuses a name that is protected wherever it stands. */
  checkName(name: string): void {
    if (name.length === PROTECTED_FOLDER.length && name.toLowerCase() === PROTECTED_FOLDER) {
      throw new Obstacle('protected');
    }
    if (isTemporaryName(name)) {
      throw new Obstacle('protected');
    }
  }

  /** Refuses a directory that `parent` also holds as `.telo`, or that is a protected folder. */
  checkDirectory(directory: HeldDirectory, at: { parent: HeldDirectory; name: string; place: () => string }): void {
    if (OTHER_SPELLING.test(at.name)) {
      const telo = at.parent.lstat(PROTECTED_FOLDER);
      if (telo !== undefined && keyOf(telo) === keyOf(directory.identity())) {
        throw new Obstacle('protected');
      }
    }
    if (this.#current().folders) {
      const { dev, ino } = directory.identity();
      this.check({ identity: { dev, ino }, place: at.place() });
    }
  }

  /** Refuses a file or folder that is protected, under this name or another. */
  check({ identity, place }: Candidate): void {
    let snapshot = this.#current();
    if (identity?.nlink !== undefined && identity.nlink > 1) {
      // More than one name: only a look taken now tells whether another of them is protected.
      snapshot = this.#keep({ ...snapshot, ...this.#identify(snapshot.paths) });
    }
    const hidden = snapshot.everything || (identity !== undefined && snapshot.identities.has(keyOf(identity)));
    if (hidden || snapshot.places.some((protectedPlace) => liesIn(place, protectedPlace))) {
      throw new Obstacle('protected');
    }
  }

  #current(): Snapshot {
    const paths = this.#paths();
    const last = this.#snapshot;
    const young = last !== undefined && performance.now() - last.takenAtMs < SNAPSHOT_MS_MAX;
    if (young && samePaths(last.paths, paths)) {
      return last;
    }
    return this.#keep(this.#look([...paths]));
  }

  #keep(snapshot: Snapshot): Snapshot {
    this.#snapshot = snapshot;
    return snapshot;
  }

  #look(paths: readonly string[]): Snapshot {
    const takenAtMs = performance.now();
    const found = this.#identify(paths);
    return {
      ...found,
      paths,
      takenAtMs,
      places: [...new Set([...paths, ...paths.map((path) => this.#placeOf(path))])],
      everything:
        this.#root.split(sep).some(isProtectedFolder) || (found.folders && this.#rootLiesIn(found.identities)),
    };
  }

  /** What the protected paths are: each itself and, where it is a link, what it leads to. */
  #identify(paths: readonly string[]): Pick<Snapshot, 'identities' | 'folders'> {
    const identities = new Set<string>();
    let folders = false;
    for (const path of paths) {
      const itself = quietly(() => this.#system.lstatSync(path, { throwIfNoEntry: false }));
      const led = itself?.isSymbolicLink() === true;
      const target = led ? quietly(() => this.#system.statSync(path, { throwIfNoEntry: false })) : undefined;
      for (const found of [itself, target]) {
        if (found !== undefined) {
          identities.add(keyOf(found));
          folders ||= found.isDirectory();
        }
      }
    }
    return { identities, folders };
  }

  /** Where a protected path really is; its last part may not be there yet. */
  #placeOf(path: string): string {
    const whole = quietly(() => this.#system.realpathSync.native(path));
    if (whole !== undefined) {
      return whole;
    }
    const folder = quietly(() => this.#system.realpathSync.native(dirname(path)));
    return folder === undefined ? path : join(folder, basename(path));
  }

  #rootLiesIn(identities: ReadonlySet<string>): boolean {
    let folder = this.#root;
    for (;;) {
      const place = folder;
      const found = quietly(() => this.#system.statSync(place, { throwIfNoEntry: false }));
      if (found !== undefined && identities.has(keyOf(found))) {
        return true;
      }
      folder = dirname(place);
      if (folder === place) {
        return false;
      }
    }
  }
}

function isProtectedFolder(name: string): boolean {
  return name.toLowerCase() === PROTECTED_FOLDER;
}

function keyOf({ dev, ino }: Identity): string {
  return `${dev}:${ino}`;
}

function liesIn(place: string, folder: string): boolean {
  return place.startsWith(folder) && (place.length === folder.length || place[folder.length] === sep);
}

function samePaths(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((path, index) => path === other[index]);
}

/** A protected path that cannot be looked at has no identity; its place stays protected. */
function quietly<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch (error) {
    if (errnoOf(error) === undefined) {
      throw error;
    }
    return undefined;
  }
}

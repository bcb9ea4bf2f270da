import { posix, sep } from 'node:path';
import { errnoOf, Obstacle } from './file-problem.ts';
import type { HeldDirectory, Holding, Purpose } from './held-directory.ts';
import type { Protection } from './protected.ts';
import { linkParts, PATH_PARTS_MAX } from './relative-parts.ts';
import type { SystemCalls } from './system-calls.ts';
import type { PathAccess } from '../values/path-limits.ts';

/** Symbolic links that one path may go through, as on Linux. */
const LINKS_MAX = 40;

/** What every walk below one root shares. */
export interface Ground {
  readonly system: SystemCalls;
  readonly holding: Holding;
  readonly protection: Protection;
  /** The root with its links resolved, and as its owner wrote it. */
  readonly root: string;
  readonly writtenRoot: string;
  /** Whether a place, relative to the root with every link resolved, is inside the path limits. */
  permits(access: PathAccess, place: string): boolean;
}

interface WalkMode {
  readonly purpose: Purpose;
  /** Whether directories that are missing are created. */
  readonly creating: boolean;
}

interface Step {
  readonly name: string;
  readonly directory: HeldDirectory;
}

interface Created {
  readonly parent: HeldDirectory;
  readonly name: string;
}

/**
 * One way from the root down to a path. Each directory is opened below the one before; a link is read by us and walked
 * again from the root. Close it when the work at its end is done.
 *
 * @see kernel-specs/files.md FS-10 to FS-15
 */
export class Walk {
  readonly #ground: Ground;
  readonly #mode: WalkMode;
  readonly #created: Created[] = [];
  #root: HeldDirectory;
  #steps: Step[] = [];
  #left: HeldDirectory[] = [];
  #links = 0;
  #last: string | undefined;
  #ahead: readonly string[] = [];

  constructor(ground: Ground, mode: WalkMode) {
    this.#ground = ground;
    this.#mode = mode;
    this.#root = ground.holding.root(ground.root, mode.purpose);
  }

  /** The directory that the walk stands in. */
  get directory(): HeldDirectory {
    return this.#steps.at(-1)?.directory ?? this.#root;
  }

  /** The last part, which the walk has not entered. @throws Obstacle `directory` when the path ends in a directory. */
  get last(): string {
    if (this.#last === undefined) {
      throw new Obstacle('directory');
    }
    return this.#last;
  }

  /** Absolute place of the last part, every link before it resolved. */
  get place(): string {
    return this.#placeOf(this.last);
  }

  /** Absolute place of the directory that the walk stands in, every link resolved. */
  get here(): string {
    return this.#steps.length === 0
      ? this.#ground.root
      : [this.#base(), ...this.#steps.map((step) => step.name)].join(sep);
  }

  /** Place relative to the root of what the walk is for, as far as links lead: also where the way to it is not there. */
  get aim(): string {
    const rest = this.#last === undefined ? this.#ahead : [this.#last];
    return posix.normalize([...this.#steps.map((step) => step.name), ...rest].join('/'));
  }

  /** Refuses the last part where it really is, when it lies outside the limits of every access stated. */
  checkLimits(...accesses: readonly PathAccess[]): void {
    this.#checkLimits(accesses, this.last);
  }

  /** Refuses the directory that the walk stands in, when it lies outside the limits. */
  checkDirectoryLimits(): void {
    this.#checkLimits(['directory']);
  }

  /** Enters every part but the last. */
  approach(parts: readonly string[]): void {
    this.#advance([...parts], 1);
  }

  /** Enters every part. */
  enter(parts: readonly string[]): void {
    this.#advance([...parts], 0);
  }

  /** Goes where the last part, a link, leads. Answers false when it is no link. */
  followLast(): boolean {
    const parts = this.#resolve(this.last);
    if (parts === undefined) {
      return false;
    }
    this.#advance(parts, 1);
    return true;
  }

  /** Effect: removes the directories that this walk created, as far as they are still empty. */
  undo(): void {
    for (const { parent, name } of this.#created.toReversed()) {
      try {
        this.#ground.system.rmdirSync(parent.entry(name));
      } catch (error) {
        if (errnoOf(error) === undefined) {
          throw error;
        }
        return;
      }
    }
  }

  close(): void {
    for (const { directory } of this.#steps) directory.close();
    for (const directory of this.#left) directory.close();
    this.#root.close();
    this.#steps = [];
    this.#left = [];
  }

  #advance(start: readonly string[], kept: 0 | 1): void {
    let parts = start;
    let index = 0;
    this.#last = undefined;
    while (index < parts.length) {
      const name = parts[index] ?? '';
      const isLast = index === parts.length - 1;
      this.#ahead = parts.slice(index);
      if (name === '..') {
        this.#leave();
        index += 1;
        continue;
      }
      this.#ground.protection.checkName(name);
      if (isLast && kept === 1) {
        this.#last = name;
        return;
      }
      if (this.#descend(name)) {
        index += 1;
        continue;
      }
      const resolved = this.#resolve(name);
      if (resolved === undefined) {
        throw new Obstacle('not-directory');
      }
      parts = [...resolved, ...parts.slice(index + 1)];
      index = 0;
    }
  }

  /** Enters one directory. Answers false when the name is there but is no directory. */
  #descend(name: string): boolean {
    const parent = this.directory;
    const directory = this.#open(parent, name);
    if (directory === undefined) {
      return false;
    }
    this.#steps.push({ name, directory });
    if (this.#steps.length > PATH_PARTS_MAX) {
      throw new Obstacle('path-too-long');
    }
    this.#ground.protection.checkDirectory(directory, { parent, name, place: () => this.here });
    return true;
  }

  #open(parent: HeldDirectory, name: string): HeldDirectory | undefined {
    const { holding } = this.#ground;
    try {
      return holding.descend(parent, name, this.#mode.purpose);
    } catch (error) {
      if (errnoOf(error) !== 'ENOENT' || !this.#mode.creating) {
        throw error;
      }
    }
    this.#create(parent, name);
    return holding.descend(parent, name, this.#mode.purpose);
  }

  #create(parent: HeldDirectory, name: string): void {
    this.#ground.protection.check({ identity: undefined, place: this.#placeOf(name) });
    this.#checkLimits(['directory'], name);
    parent.confirm();
    try {
      this.#ground.system.mkdirSync(parent.entry(name));
    } catch (error) {
      // Somebody else created it in between; it is entered like any other.
      if (errnoOf(error) !== 'EEXIST') {
        throw error;
      }
      return;
    }
    this.#created.push({ parent, name });
    parent.flush();
  }

  #leave(): void {
    const step = this.#steps.pop();
    if (step === undefined) {
      throw new Obstacle('resolved-escape');
    }
    this.#left.push(step.directory);
  }

  /** The parts, from the root, that a link leads to; undefined when it is no link. The walk is back at the root then. */
  #resolve(name: string): string[] | undefined {
    const target = this.#readLink(name);
    if (target === undefined) {
      return undefined;
    }
    this.#links += 1;
    if (this.#links > LINKS_MAX) {
      throw new Obstacle('too-many-symlinks');
    }
    const below = this.#backToRoot();
    if (!target.startsWith('/')) {
      return [...below, ...linkParts(target)];
    }
    const { root, writtenRoot } = this.#ground;
    const inside = [root, writtenRoot].find((prefix) => liesIn(target, prefix));
    if (inside === undefined) {
      throw new Obstacle('resolved-escape');
    }
    return linkParts(target.slice(inside.length));
  }

  /** Answers the names of the directories that it leaves. Those that something was created below stay held for `undo`. */
  #backToRoot(): string[] {
    const steps = this.#steps;
    this.#steps = [];
    for (const { directory } of steps) {
      if (this.#created.length === 0) {
        directory.close();
      } else {
        this.#left.push(directory);
      }
    }
    return steps.map((step) => step.name);
  }

  #readLink(name: string): string | undefined {
    try {
      return this.#ground.system.readlinkSync(this.directory.entry(name), 'utf8');
    } catch (error) {
      if (errnoOf(error) === 'EINVAL') {
        return undefined;
      }
      throw error;
    }
  }

  #checkLimits(accesses: readonly PathAccess[], last?: string): void {
    let place = '';
    for (const { name } of this.#steps) place += place === '' ? name : `/${name}`;
    if (last !== undefined) place += place === '' ? last : `/${last}`;
    if (!accesses.some((access) => this.#ground.permits(access, place === '' ? '.' : place))) {
      throw new Obstacle('outside-limits');
    }
  }

  #base(): string {
    return this.#ground.root === sep ? '' : this.#ground.root;
  }

  #placeOf(name: string): string {
    let place = this.#base();
    for (const step of this.#steps) place += `${sep}${step.name}`;
    return `${place}${sep}${name}`;
  }
}

function liesIn(target: string, folder: string): boolean {
  return folder === '/' || target === folder || target.startsWith(`${folder}/`);
}

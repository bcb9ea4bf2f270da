import type { Stats } from 'node:fs';
import { errnoOf, Obstacle } from './file-problem.ts';
import type { HeldDirectory } from './held-directory.ts';
import { type Ground, Walk } from './open-below.ts';
import { permissionsOf, regularFile } from './read-file.ts';
import { relativeParts } from './relative-parts.ts';
import { OPEN, type SystemCalls } from './system-calls.ts';
import { isLeftover, isTemporaryName, temporaryName } from './temporary-name.ts';

/** How many directories a process remembers as swept. */
const SWEPT_MAX = 10_000;

interface Writing {
  readonly bytes: Uint8Array;
  /** Throws when the replacement must not be made any more. */
  readonly confirm: () => void;
}

/** Which directories were looked through for leftovers, by device and inode. */
export type Swept = Set<string>;

/**
 * Effect: replaces or creates one file below the root in one step, its parents created. A refused write leaves neither a
 * temporary file nor a parent it created.
 *
 * @see kernel-specs/files.md FS-30 to FS-38
 */
export function writeBelow(ground: Ground, path: string, options: Writing & { swept: Swept }): void {
  const walk = new Walk(ground, { purpose: 'change', creating: true });
  try {
    walk.approach(relativeParts(path));
    const found = changeable(ground, walk, 'write');
    sweep(ground.system, walk.directory, options.swept);
    const { bytes, confirm } = options;
    replace(ground, walk, { bytes, confirm, ...(found === undefined ? {} : { found }) });
  } catch (error) {
    walk.undo();
    throw error;
  } finally {
    walk.close();
  }
}

/** Effect: removes one regular file below the root; absent is done already. @see kernel-specs/files.md FS-40 */
export function removeBelow(ground: Ground, path: string, confirm: () => void): void {
  const walk = new Walk(ground, { purpose: 'change', creating: false });
  try {
    walk.approach(relativeParts(path));
    if (changeable(ground, walk, 'delete') === undefined) {
      return;
    }
    walk.directory.confirm();
    confirm();
    ground.system.unlinkSync(walk.directory.entry(walk.last));
    walk.directory.flush();
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT') {
      throw error;
    }
  } finally {
    walk.close();
  }
}

/** Effect: creates a folder below the root and its parents. @see kernel-specs/files.md FS-42 */
export function createFolderBelow(ground: Ground, path: string): void {
  const walk = new Walk(ground, { purpose: 'change', creating: true });
  try {
    walk.enter(relativeParts(path));
    const { dev, ino } = walk.directory.identity();
    ground.protection.check({ identity: { dev, ino }, place: walk.here });
    walk.checkDirectoryLimits();
  } catch (error) {
    walk.undo();
    throw error;
  } finally {
    walk.close();
  }
}

/** Effect: flushes what a former process may have put at `path`, and the folder that holds it. */
export function persistBelow(ground: Ground, path: string): void {
  const walk = new Walk(ground, { purpose: 'change', creating: false });
  try {
    walk.approach(relativeParts(path));
    if (walk.directory.lstat(walk.last)?.isFile() === true) {
      const fd = ground.holding.open(walk.directory, walk.last, { flags: OPEN.read });
      try {
        ground.system.fsyncSync(fd);
      } finally {
        ground.system.closeSync(fd);
      }
    }
    walk.directory.flush();
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT') {
      throw error;
    }
  } finally {
    walk.close();
  }
}

/** What stands at the end of a walk: nothing, or a regular file that may be changed. */
function changeable(ground: Ground, walk: Walk, access: 'write' | 'delete'): Stats | undefined {
  const found = walk.directory.lstat(walk.last);
  ground.protection.check({ identity: found, place: walk.place });
  walk.checkLimits(access);
  return found === undefined ? undefined : regularFile(found);
}

function replace(ground: Ground, walk: Walk, { bytes, confirm, found }: Writing & { found?: Stats }): void {
  const { system, holding } = ground;
  const { directory, last } = walk;
  const temporary = temporaryName();
  const mode = found === undefined ? 0o666 : permissionsOf(found);
  const fd = holding.open(directory, temporary, { flags: OPEN.createNew, mode });
  try {
    try {
      writeWhole(system, fd, bytes);
      if (found !== undefined) {
        adopt(system, fd, found);
      }
      system.fsyncSync(fd);
    } finally {
      system.closeSync(fd);
    }
    directory.confirm();
    confirm();
    system.renameSync(directory.entry(temporary), directory.entry(last));
  } catch (error) {
    discard(system, directory.entry(temporary));
    throw error;
  }
  directory.flush();
}

function writeWhole(system: SystemCalls, fd: number, bytes: Uint8Array): void {
  for (let offset = 0; offset < bytes.length;) {
    const count = system.writeSync(fd, bytes, offset, bytes.length - offset, null);
    if (count === 0) {
      throw new Obstacle('operation-failed');
    }
    offset += count;
  }
}

/** Gives the new file the owner, where this process may, and the mode of the one it replaces. */
function adopt(system: SystemCalls, fd: number, found: Stats): void {
  const made = system.fstatSync(fd);
  if (made.uid !== found.uid || made.gid !== found.gid) {
    try {
      system.fchownSync(fd, found.uid, found.gid);
    } catch (error) {
      if (errnoOf(error) !== 'EPERM') {
        throw error;
      }
    }
  }
  // The umask may have taken bits away when the file was made.
  if (permissionsOf(made) !== permissionsOf(found)) {
    system.fchmodSync(fd, permissionsOf(found));
  }
}

function discard(system: SystemCalls, place: string): void {
  try {
    system.unlinkSync(place);
  } catch (error) {
    // The failure that led here counts, not this one; what stays is swept later.
    if (errnoOf(error) === undefined) {
      throw error;
    }
  }
}

/** Removes what killed writers left in a directory; once for each directory, as large ones are slow to list. */
function sweep(system: SystemCalls, directory: HeldDirectory, swept: Swept): void {
  const { dev, ino } = directory.identity();
  const key = `${dev}:${ino}`;
  if (swept.has(key)) {
    return;
  }
  if (swept.size >= SWEPT_MAX) {
    swept.clear();
  }
  swept.add(key);
  const nowMs = Date.now();
  for (const name of directory.list()) {
    if (!isTemporaryName(name)) {
      continue;
    }
    const found = directory.lstat(name);
    if (found?.isFile() === true && isLeftover(name, { mtimeMs: found.mtimeMs, nowMs })) {
      discard(system, directory.entry(name));
    }
  }
}

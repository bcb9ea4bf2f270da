import { createHash } from 'node:crypto';
import type { Stats } from 'node:fs';
import { errnoOf, Obstacle } from './file-problem.ts';
import type { FileObservation } from './files.ts';
import { type Ground, Walk } from './open-below.ts';
import { relativeParts } from './relative-parts.ts';
import { OPEN, type SystemCalls } from './system-calls.ts';
import type { PathAccess } from '../values/path-limits.ts';

/** Largest file that a write or a removal may replace: its pre-image is read while nothing else runs. */
const OBSERVED_BYTES_MAX = 1_073_741_824;

const CHUNK_BYTES = 65_536;
/** The bits that a replacement keeps; set-user-id and its like are lost by a write, as the system does it. */
const PERMISSION_BITS = 0o777;

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** What is read into when it fits; nothing of it outlives the call that has read. */
const SHORT = Buffer.allocUnsafeSlow(CHUNK_BYTES);

interface Opened {
  readonly fd: number;
  readonly stats: Stats;
}

/** Effect: reads a file below the root, links that stay inside followed, as text. @see kernel-specs/files.md FS-16 */
export function readBelow(ground: Ground, path: string, maxBytes: number): string {
  const walk = new Walk(ground, { purpose: 'read', creating: false });
  try {
    walk.approach(relativeParts(path));
    const opened = openFollowing(ground, walk);
    try {
      return decode(readWhole(ground.system, opened, maxBytes));
    } finally {
      ground.system.closeSync(opened.fd);
    }
  } finally {
    walk.close();
  }
}

/** Effect: reads what a change at `path` would replace. The last part is not followed. @see kernel-specs/files.md FS-17 */
export function observeBelow(ground: Ground, path: string): FileObservation {
  const walk = new Walk(ground, { purpose: 'read', creating: false });
  try {
    walk.approach(relativeParts(path));
    walk.checkLimits('write', 'delete');
    const fd = openUnfollowed(ground, walk);
    try {
      const stats = regularFile(ground.system.fstatSync(fd));
      ground.protection.check({ identity: stats, place: walk.place });
      return { sha256: takeWhole(ground.system, fd, 0).sha256, mode: stats.mode & PERMISSION_BITS };
    } finally {
      ground.system.closeSync(fd);
    }
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') {
      return { absent: true };
    }
    throw error;
  } finally {
    walk.close();
  }
}

/** Answers the file when it is a regular one. Pure. @throws Obstacle `directory`, `symbolic-link` or `special-file` */
export function regularFile(stats: Stats): Stats {
  if (stats.isFile()) {
    return stats;
  }
  if (stats.isSymbolicLink()) {
    throw new Obstacle('symbolic-link');
  }
  throw new Obstacle(stats.isDirectory() ? 'directory' : 'special-file');
}

/** The permission bits of a file. Pure. */
export function permissionsOf(stats: Stats): number {
  return stats.mode & PERMISSION_BITS;
}

/** Opens the last part of a walk, a link followed, and checks what is opened. */
export function openFollowing(ground: Ground, walk: Walk, access: PathAccess = 'read'): Opened {
  for (;;) {
    const fd = tryOpen(ground, walk);
    if (fd !== undefined) {
      return checked(ground, walk, { fd, access });
    }
    if (!walk.followLast()) {
      // It was a link when it was opened, and is none now: somebody is changing it.
      throw new Obstacle('busy');
    }
  }
}

/** Opens the last part of a walk. @throws Obstacle `symbolic-link` */
export function openUnfollowed(ground: Ground, walk: Walk): number {
  const fd = tryOpen(ground, walk);
  if (fd === undefined) {
    throw new Obstacle('symbolic-link');
  }
  return fd;
}

/** Answers undefined when the last part is a link. */
function tryOpen({ holding }: Ground, walk: Walk): number | undefined {
  try {
    return holding.open(walk.directory, walk.last, { flags: OPEN.read });
  } catch (error) {
    if (errnoOf(error) === 'ELOOP' || (error instanceof Obstacle && error.reason === 'symbolic-link')) {
      return undefined;
    }
    throw error;
  }
}

/** Answers what was opened when it is a regular file that `access` may reach; closes it otherwise. */
export function checked(
  { system, protection }: Ground,
  walk: Walk,
  { fd, access }: { readonly fd: number; readonly access: PathAccess },
): Opened {
  try {
    const stats = regularFile(system.fstatSync(fd));
    protection.check({ identity: stats, place: walk.place });
    walk.checkLimits(access);
    return { fd, stats };
  } catch (error) {
    system.closeSync(fd);
    throw error;
  }
}

/** Answers the bytes of an open file, for use before the next call. */
function readWhole(system: SystemCalls, { fd, stats }: Opened, maxBytes: number): Uint8Array {
  if (stats.size > maxBytes) {
    throw new Obstacle('too-large');
  }
  let buffer = stats.size < CHUNK_BYTES ? SHORT : Buffer.allocUnsafe(stats.size + 1);
  let length = 0;
  for (;;) {
    const count = system.readSync(fd, buffer, length, buffer.length - length, null);
    length += count;
    if (length > maxBytes) {
      throw new Obstacle('too-large');
    }
    // A file of the stated size needs no second call to see its end; one that states none, or grows, does.
    if (count === 0 || length === stats.size) {
      return buffer.subarray(0, length);
    }
    if (length === buffer.length) {
      buffer = Buffer.concat([buffer], Math.min(buffer.length * 2 + CHUNK_BYTES, maxBytes + 1));
    }
  }
}

function decode(bytes: Uint8Array): string {
  try {
    return UTF8.decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) {
      throw new Obstacle('invalid-utf8');
    }
    throw error;
  }
}

interface Taken {
  readonly sha256: string;
  readonly size: number;
  readonly bytes?: Uint8Array;
}

/** Reads an open file to its end: its digest and size, and its bytes when they are at most so many. */
export function takeWhole(system: SystemCalls, fd: number, maxBytes: number): Taken {
  const hash = createHash('sha256');
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  const kept: Buffer[] = [];
  for (let size = 0; ;) {
    const count = system.readSync(fd, chunk, 0, CHUNK_BYTES, null);
    if (count === 0) {
      const sha256 = hash.digest('hex');
      return size > maxBytes ? { sha256, size } : { sha256, size, bytes: Buffer.concat(kept) };
    }
    size += count;
    if (size > OBSERVED_BYTES_MAX) {
      throw new Obstacle('too-large');
    }
    hash.update(chunk.subarray(0, count));
    if (size <= maxBytes) {
      kept.push(Buffer.from(chunk.subarray(0, count)));
    }
  }
}

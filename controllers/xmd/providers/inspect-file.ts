import type { Stats } from 'node:fs';
import type { PathAccess } from '../values/path-limits.ts';
import { errnoOf, Obstacle } from './file-problem.ts';
import type { FileInspection } from './files.ts';
import { type Ground, Walk } from './open-below.ts';
import { checked, openFollowing, openUnfollowed, permissionsOf, takeWhole } from './read-file.ts';
import { relativeParts } from './relative-parts.ts';

interface Inspecting {
  readonly access: PathAccess;
  /** Most bytes that are answered; for a read, also the most that it may have. */
  readonly maxBytes: number;
}

/**
 * Effect: looks at a file below the root as `access` would find it, through the same handles, and reads it once.
 *
 * @see kernel-specs/files.md FS-19
 */
export function inspectBelow(ground: Ground, path: string, { access, maxBytes }: Inspecting): FileInspection {
  const walk = new Walk(ground, { purpose: 'read', creating: false });
  try {
    walk.approach(relativeParts(path));
    const follows = access === 'read' || access === 'directory';
    const { fd, stats } = follows ? openFollowing(ground, walk, access) : openChangeable(ground, walk, access);
    try {
      assertInspectable(stats, { access, maxBytes });
      const { sha256, size, bytes } = takeWhole(ground.system, fd, maxBytes);
      const found = { sha256, mode: permissionsOf(stats) };
      return { place: walk.aim, found, size, ...(bytes === undefined ? {} : { bytes }) };
    } finally {
      ground.system.closeSync(fd);
    }
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') {
      return { place: walk.aim, found: { absent: true } };
    }
    throw error;
  } finally {
    walk.close();
  }
}

/** What an access would refuse is refused here, before its bytes are read. */
function assertInspectable({ size }: Stats, { access, maxBytes }: Inspecting): void {
  if (access === 'directory') {
    throw new Obstacle('not-directory');
  }
  if (access === 'read' && size > maxBytes) {
    throw new Obstacle('too-large');
  }
}

function openChangeable(ground: Ground, walk: Walk, access: PathAccess): ReturnType<typeof openFollowing> {
  walk.checkLimits(access);
  ground.protection.check({ identity: undefined, place: walk.place });
  return checked(ground, walk, { fd: openUnfollowed(ground, walk), access });
}

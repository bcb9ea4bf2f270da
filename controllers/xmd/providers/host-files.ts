import { isAbsolute, posix, resolve } from 'node:path';
import type { PathAccess } from '../values/path-limits.ts';
import { errnoOf, Obstacle, reporting } from './file-problem.ts';
import type { Files } from './files.ts';
import { directoryHandles, handlesWork } from './directory-handles.ts';
import { verifiedPaths } from './fallback.ts';
import type { Holding } from './held-directory.ts';
import type { Ground } from './open-below.ts';
import { Protection } from './protected.ts';
import { observeBelow, readBelow } from './read-file.ts';
import { inspectBelow } from './inspect-file.ts';
import { relativeParts } from './relative-parts.ts';
import { NODE_SYSTEM_CALLS, type SystemCalls } from './system-calls.ts';
import { createFolderBelow, persistBelow, removeBelow, type Swept, writeBelow } from './write-file.ts';

export interface HostFilesOptions {
  /** Absolute path of the folder that holds everything a fragment can reach. It need not be there yet. */
  readonly root: string;
  /** Absolute paths of files, and of folders with everything in them, that are never touched. Asked at each operation. */
  readonly protectedPaths: () => readonly string[];
  /** Whether a place, relative to the root with every link resolved, may be reached; every place when left out. */
  readonly permits?: (access: PathAccess, place: string) => boolean;
  /** The calls to make; the system's own when left out. */
  readonly system?: SystemCalls;
  /** How directories are held; the strongest way this system has when left out. */
  readonly holding?: Holding;
}

/**
 * Files below one folder of this host, contained on Linux whatever changes meanwhile.
 *
 * Effect: none yet; each member has its own. Nothing stays open between operations.
 *
 * @see kernel-specs/files.md
 * @see docs/adr/0002-containment-by-directory-handles.md
 */
export function openHostFiles(options: HostFilesOptions): Files {
  if (!isAbsolute(options.root)) {
    throw new TypeError('The root of host files is an absolute path');
  }
  const system = options.system ?? NODE_SYSTEM_CALLS;
  const holding = options.holding ?? (handlesWork(system) ? directoryHandles(system) : verifiedPaths(system));
  const swept: Swept = new Set();
  let ground: Ground | undefined;
  // The root is resolved when it is first there, and stays that folder: a link swapped later moves nothing.
  const onGround = (): Ground => (ground ??= resolveGround(options, { system, holding }));
  return {
    guarantee: holding.guarantee,
    read: (path, { maxBytes }) => reporting('read', path, () => readBelow(onGround(), path, maxBytes)),
    observe: (path) =>
      reporting('change', path, () => {
        const where = groundOrAbsent(onGround, path);
        return where === undefined ? { absent: true } : observeBelow(where, path);
      }),
    inspect: (path, how) =>
      reporting(VERBS[how.access], path, () => {
        const where = groundOrAbsent(onGround, path);
        if (where !== undefined) return inspectBelow(where, path, how);
        return { place: posix.normalize(path), found: { absent: true } };
      }),
    write: (path, text, confirm = accept) =>
      reporting('write', path, () => writeBelow(onGround(), path, { bytes: utf8(text), swept, confirm })),
    remove: (path, confirm = accept) =>
      reporting('delete', path, () => {
        const where = groundOrAbsent(onGround, path);
        if (where !== undefined) {
          removeBelow(where, path, confirm);
        }
      }),
    ensureDirectory: (path) => reporting('create folder', path, () => createFolderBelow(onGround(), path)),
    persist: (path) => reporting('write', path, () => persistBelow(onGround(), path)),
  };
}

const VERBS = { read: 'read', write: 'write', delete: 'delete', directory: 'create folder' } as const;

/** Nobody to ask: there is no claim to lose. */
const accept = (): void => undefined;

function resolveGround(options: HostFilesOptions, means: { system: SystemCalls; holding: Holding }): Ground {
  const root = means.system.realpathSync(options.root);
  const protection = new Protection(means.system, root, options.protectedPaths);
  const permits = options.permits ?? (() => true);
  return { ...means, protection, root, writtenRoot: resolve(options.root), permits };
}

function groundOrAbsent(onGround: () => Ground, path: string): Ground | undefined {
  // Below a root that is not there a bad path is as bad as elsewhere.
  relativeParts(path);
  try {
    return onGround();
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') {
      return undefined;
    }
    throw error;
  }
}

function utf8(text: string): Uint8Array {
  if (/\p{Surrogate}/u.test(text)) {
    throw new Obstacle('invalid-utf8');
  }
  return Buffer.from(text, 'utf8');
}

import { errnoOf } from './file-problem.ts';
import { HeldDirectory, type Holding, type Purpose } from './held-directory.ts';
import { OPEN, type SystemCalls } from './system-calls.ts';

/**
 * Holds directories by handles of this process (Linux): a name is resolved below the open directory, wherever the
 * directory is moved meanwhile.
 *
 * @see docs/adr/0002-containment-by-directory-handles.md
 */
export function directoryHandles(system: SystemCalls): Holding {
  const hold = (path: string, purpose: Purpose): HeldDirectory => {
    const flushable = purpose === 'change' ? openFlushable(system, path) : undefined;
    const fd = flushable ?? system.openSync(path, OPEN.walk);
    return new HeldDirectory(system, `/proc/self/fd/${fd}`, { fd, flushable: flushable !== undefined });
  };
  return {
    guarantee: 'handles',
    root: (root, purpose) => (purpose === 'read' ? new HeldDirectory(system, root, {}) : hold(root, purpose)),
    descend: (parent, name, purpose) => {
      try {
        return hold(parent.entry(name), purpose);
      } catch (error) {
        if (errnoOf(error) === 'ENOTDIR' || errnoOf(error) === 'ELOOP') {
          return undefined;
        }
        throw error;
      }
    },
    open: (parent, name, { flags, mode }) => system.openSync(parent.entry(name), flags, mode),
  };
}

/** Answers undefined when this process may go through the directory but not list it. */
function openFlushable(system: SystemCalls, path: string): number | undefined {
  try {
    return system.openSync(path, OPEN.list);
  } catch (error) {
    if (errnoOf(error) !== 'EACCES') {
      throw error;
    }
    return undefined;
  }
}

/** Whether this process can hold directories by handles: `/proc` is mounted and its links lead where they say. */
export function handlesWork(system: SystemCalls): boolean {
  if (process.platform !== 'linux') {
    return false;
  }
  let fd: number | undefined;
  try {
    fd = system.openSync('/', OPEN.walk);
    const through = system.statSync(`/proc/self/fd/${fd}/.`);
    const direct = system.statSync('/');
    return through.dev === direct.dev && through.ino === direct.ino;
  } catch (error) {
    if (errnoOf(error) === undefined) {
      throw error;
    }
    return false;
  } finally {
    if (fd !== undefined) {
      system.closeSync(fd);
    }
  }
}

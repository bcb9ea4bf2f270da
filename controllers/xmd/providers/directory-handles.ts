import { errnoOf } from './file-problem.ts';
import { HeldDirectory, type Holding } from './held-directory.ts';
import { OPEN, type SystemCalls } from './system-calls.ts';

/**
 * Holds directories by handles of this process (Linux): a name is resolved below the open directory, wherever the
 * directory is moved meanwhile.
 *
 * @see docs/adr/0002-containment-by-directory-handles.md
 */
export function directoryHandles(system: SystemCalls): Holding {
  const hold = (path: string, flags: number): HeldDirectory => {
    const fd = system.openSync(path, flags);
    return new HeldDirectory(system, `/proc/self/fd/${fd}`, { fd });
  };
  return {
    guarantee: 'handles',
    root: (root, lightly) => (lightly ? new HeldDirectory(system, root, {}) : hold(root, OPEN.root)),
    descend: (parent, name) => {
      try {
        return hold(parent.entry(name), OPEN.walk);
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

/** Whether this process can hold directories by handles: `/proc` is mounted and its links lead where they say. */
export function handlesWork(system: SystemCalls): boolean {
  if (process.platform !== 'linux') {
    return false;
  }
  let fd: number | undefined;
  try {
    fd = system.openSync('/', OPEN.root);
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

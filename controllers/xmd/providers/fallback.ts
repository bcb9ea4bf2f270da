import { Obstacle } from './file-problem.ts';
import { HeldDirectory, type Holding, type Identity } from './held-directory.ts';
import type { SystemCalls } from './system-calls.ts';

const WINDOWS_NAME = /[<>:"|?*]|[. ]$|^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;

/**
 * Holds directories by path and identity, where no handle can be walked by: each is compared before and after use.
 *
 * Weaker than handles: a writer who swaps a directory between the look and the call is noticed afterwards, not stopped.
 *
 * @see docs/adr/0002-containment-by-directory-handles.md
 */
export function verifiedPaths(system: SystemCalls, platform: string = process.platform): Holding {
  const checkName = (name: string): void => {
    if (platform === 'win32' && WINDOWS_NAME.test(name)) {
      throw new Obstacle('operation-failed');
    }
  };
  return {
    guarantee: 'verified',
    root: (root) => new HeldDirectory(system, root, { confirm: confirming(system, root, system.statSync(root)) }),
    descend: (parent, name) => {
      checkName(name);
      const path = parent.entry(name);
      const found = system.lstatSync(path);
      if (!found.isDirectory()) {
        return undefined;
      }
      parent.confirm();
      const confirmSelf = confirming(system, path, found);
      const confirm = (): void => {
        parent.confirm();
        confirmSelf();
      };
      return new HeldDirectory(system, path, { confirm });
    },
    open: (parent, name, { flags, mode }) => {
      checkName(name);
      return openVerified({ system, parent, name, flags, ...(mode === undefined ? {} : { mode }) });
    },
  };
}

interface Opening {
  readonly system: SystemCalls;
  readonly parent: HeldDirectory;
  readonly name: string;
  readonly flags: number;
  readonly mode?: number;
}

function openVerified({ system, parent, name, flags, mode }: Opening): number {
  parent.confirm();
  const fd = system.openSync(parent.entry(name), flags, mode);
  try {
    const opened = system.fstatSync(fd);
    const named = parent.lstat(name);
    if (named === undefined || !same(opened, named)) {
      throw new Obstacle(named?.isSymbolicLink() === true ? 'symbolic-link' : 'resolved-escape');
    }
    parent.confirm();
    return fd;
  } catch (error) {
    system.closeSync(fd);
    throw error;
  }
}

function confirming(system: SystemCalls, path: string, expected: Identity): () => void {
  return () => {
    const found = system.lstatSync(path, { throwIfNoEntry: false });
    if (found === undefined || !same(found, expected)) {
      throw new Obstacle('resolved-escape');
    }
  };
}

function same(one: Identity, other: Identity): boolean {
  return one.dev === other.dev && one.ino === other.ino;
}

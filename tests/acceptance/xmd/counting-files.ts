import type { Files } from '../../../controllers/xmd/providers/files.ts';
import type * as HostFiles from '../../../controllers/xmd/providers/host-files.ts';

/** Every call that reached the provider of files, in order, over all "processes" of a test file. */
export const fileCalls: string[] = [];

/** The real provider, its calls counted; for `vi.mock`. */
export function counting(real: typeof HostFiles): typeof HostFiles {
  return {
    ...real,
    openHostFiles: (options) => counted(real.openHostFiles(options)),
  };
}

function counted(files: Files): Files {
  return {
    guarantee: files.guarantee,
    read: (path, limit) => {
      note('read', path);
      return files.read(path, limit);
    },
    observe: (path) => files.observe(path),
    inspect: (path, options) => files.inspect(path, options),
    write: (path, text) => {
      note('write', path);
      files.write(path, text);
    },
    remove: (path) => {
      note('remove', path);
      files.remove(path);
    },
    ensureDirectory: (path) => {
      note('ensure', path);
      files.ensureDirectory(path);
    },
    persist: (path) => {
      note('persist', path);
      files.persist(path);
    },
  };
}

function note(verb: string, path: string): void {
  fileCalls.push(`${verb} ${path}`);
}

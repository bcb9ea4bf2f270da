import { readdirSync } from 'node:fs';
import { join, relative, sep } from 'node:path';

const ROOT = join(import.meta.dirname, '..', '..');

/** TypeScript files that we wrote below `folders`, as POSIX paths from the root of the package. */
export function sourceFiles(folders: readonly string[]): readonly string[] {
  return folders.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
      .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)).split(sep).join('/'))
      .filter((file) => !/(?:^|\/)(?:dist|node_modules)\//.test(file))
      .toSorted(),
  );
}

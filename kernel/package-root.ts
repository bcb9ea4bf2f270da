import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

let found: string | undefined;

/** Absolute path of a file of this package, wherever the code runs from: sources, build or an installed package. */
export function packageFile(...segments: readonly string[]): string {
  found ??= findRoot(dirname(fileURLToPath(import.meta.url)));
  return join(found, ...segments);
}

function findRoot(start: string): string {
  let folder = start;
  while (!existsSync(join(folder, 'package.json')) || !existsSync(join(folder, 'manifests', 'xmd', 'telo.yaml'))) {
    const parent = dirname(folder);
    if (parent === folder) throw new TypeError(`No package folder above ${start}`);
    folder = parent;
  }
  return folder;
}

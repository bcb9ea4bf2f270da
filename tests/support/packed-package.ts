import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { isRecord } from '../../kernel/manifest/record.ts';

const ROOT = resolve(import.meta.dirname, '../..');

/**
 * Installs the package as `npm pack` makes it below `folder`, with what npm would install beside it: copies of exactly the
 * packages that the lock file has for users, from this clone. No network, no link back. Answers where the package is.
 */
export function installPacked(folder: string): string {
  const packing = ['pack', '--ignore-scripts', '--pack-destination', folder, '--loglevel', 'error'];
  execFileSync('npm', packing, { cwd: ROOT, env: { ...process.env, npm_config_cache: join(folder, '.npm') } });
  const archive = readdirSync(folder).find((name) => name.endsWith('.tgz'));
  if (archive === undefined) throw new Error('npm pack made no archive');
  const installed = join(folder, 'node_modules', 'telo-xmd');
  mkdirSync(installed, { recursive: true });
  execFileSync('tar', ['-xzf', join(folder, archive), '-C', installed, '--strip-components=1']);
  for (const name of usersPackages()) {
    const from = join(ROOT, name);
    // An optional package of another platform is in the lock file, and nowhere else.
    if (!existsSync(from)) continue;
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    cpSync(from, join(folder, name), {
      recursive: true,
      dereference: true,
      filter: (at) => !/\.(?:c|cpp|h|o)$/.test(at),
    });
  }
  rmSync(join(folder, archive));
  return installed;
}

/** Outermost folders of what is installed for users of the package; the SDK comes inside its archive. */
function usersPackages(): readonly string[] {
  const lock: unknown = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'));
  const packages = isRecord(lock) && isRecord(lock['packages']) ? lock['packages'] : {};
  return Object.entries(packages).flatMap(([path, about]) =>
    /^node_modules\/(?:@[^/]+\/)?[^/]+$/.test(path) &&
    isRecord(about) &&
    about['dev'] !== true &&
    about['link'] !== true
      ? [path]
      : [],
  );
}

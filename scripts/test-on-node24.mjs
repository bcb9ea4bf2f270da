// Runs the tests of the journal and of the libraries on Node 24, which a Telo kernel needs and which has node:sqlite.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const TESTS = ['tests/unit/journal-sqlite', 'tests/unit/libraries', 'tests/unit/sdk', 'tests/conformance'];
const VERSION = '24.22.3';

function run(command, args, cwd = root) {
  const { status } = spawnSync(command, args, { cwd, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}

/** This Node when it is new enough; else one from the registry, kept below node_modules. */
function node24() {
  if (Number(process.versions.node.split('.')[0]) >= 24) return process.execPath;
  const platform = `${process.platform}-${process.arch}`;
  const folder = join(root, 'node_modules', '.cache', 'node24');
  const node = join(folder, 'node_modules', `node-${platform}`, 'bin', 'node');
  if (!existsSync(node)) {
    mkdirSync(folder, { recursive: true });
    run('npm', ['install', '--no-save', '--no-audit', '--no-fund', '--prefix', folder, `node-${platform}@${VERSION}`]);
  }
  return node;
}

run(node24(), [join(root, 'node_modules', 'vitest', 'vitest.mjs'), 'run', '--project', 'fast', ...TESTS]);

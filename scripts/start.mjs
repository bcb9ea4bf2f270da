// The first thing a newcomer runs: the release-notes example, until it waits for a person.
// A run that waits has done its work for now, so this ends with 0 where telo-xmd itself ends with 2 (suspended).
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync } from 'node:fs';
import { join, relative } from 'node:path';

const root = join(import.meta.dirname, '..');
const example = join(root, 'manifests', 'examples', 'release-notes');
const workspace = join(example, 'workspace');

if (!existsSync(workspace)) cpSync(join(example, 'project'), workspace, { recursive: true });

const { status, signal } = spawnSync(
  process.execPath,
  [
    join(root, 'dist', 'kernel', 'main.mjs'),
    'run',
    relative(process.cwd(), join(example, 'telo.yaml')) || example,
    '--inputs',
    JSON.stringify({ version: '2.4.0' }),
  ],
  { stdio: 'inherit' },
);

const code = signal === null ? (status ?? 1) : 130;
if (code === 0) {
  console.error('It completed before; see it with: npx telo-xmd show release-notes:2.4.0');
  console.error(`To see it from the start, remove .telo and ${relative(process.cwd(), workspace)}, then npm start again.`);
}
process.exitCode = code === 2 ? 0 : code;

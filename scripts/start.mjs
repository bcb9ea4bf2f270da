// The first thing a newcomer runs: the release-notes example, until it waits for a person.
// A run that waits has done its work for now, so this ends with 0 where telo-xmd itself ends with 2 (suspended).
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync } from 'node:fs';
import { join, relative } from 'node:path';

const RUN = 'release-notes:2.4.0';
const root = join(import.meta.dirname, '..');
const example = join(root, 'manifests', 'examples', 'release-notes');
const workspace = join(example, 'workspace');

const telo = (args, stdio) =>
  spawnSync(process.execPath, [join(root, 'dist', 'kernel', 'main.mjs'), ...args], { stdio, encoding: 'utf8' });

function statusOf(run) {
  const { status, stdout } = telo(['show', run, '--json'], ['ignore', 'pipe', 'ignore']);
  return status === 0 ? JSON.parse(stdout).run.status : undefined;
}

const here = relative(process.cwd(), example) || '.';
const before = statusOf(RUN);
if (before === undefined || !existsSync(workspace)) {
  cpSync(join(example, 'project'), workspace, { recursive: true, force: false });
}
const said = {
  running: `Run ${RUN} was interrupted; it goes on where its journal ends.`,
  parked: `Run ${RUN} was started before and still waits.`,
};
if (Object.hasOwn(said, before)) console.error(said[before]);

const { status, signal } = telo(
  ['run', join(here, 'telo.yaml'), '--inputs', JSON.stringify({ version: '2.4.0' })],
  'inherit',
);

if (before === 'completed' || before === 'failed' || before === 'cancelled') {
  const notes = join(here, 'workspace');
  console.error(`It was ${before} before, so nothing was done again. Its story:  npx telo-xmd show ${RUN}`);
  console.error(`To start afresh, remove the run's journal and the files:  rm -r .telo ${notes} && npm start`);
}
process.exitCode = signal === null ? (status === 2 ? 0 : (status ?? 1)) : 130;

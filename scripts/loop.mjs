// The whole loop of the example plan-and-approve, with a scripted model where MODEL_URL names no other:
//
//   npm run loop                     plans, says what the plan would do, and waits for a person
//   npm run loop -- no "a remark"    lets the model plan again
//   npm run loop -- yes              performs exactly what was shown
//
// A run that waits has done its work for now, so this ends with 0 where telo-xmd itself ends with 2 (suspended).
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync } from 'node:fs';
import { join, relative } from 'node:path';

const TASK = 'Rename the option colour to color, say so in the changelog, and remove what is no longer used.';
const root = join(import.meta.dirname, '..');
const example = join(root, 'manifests', 'examples', 'plan-and-approve');
const workspace = join(example, 'workspace');

const [word, ...remark] = process.argv.slice(2);
if (word !== undefined && word !== 'yes' && word !== 'no') {
  console.error('npm run loop, npm run loop -- no "a remark", or npm run loop -- yes');
  process.exit(64);
}

function commandOf() {
  const manifest = join(relative(process.cwd(), example) || '.', 'telo.yaml');
  if (word === undefined) return ['run', manifest, '--inputs', JSON.stringify({ subject: 'color', task: TASK })];
  const approved = word === 'yes';
  const answer = remark.length === 0 ? { approved } : { approved, remark: remark.join(' ') };
  return ['answer', 'change:color', JSON.stringify(answer), '--resume'];
}

/** Starts the scripted model on a free port and answers how to stop it. */
async function openModel() {
  const model = spawn(
    process.execPath,
    [join(root, 'manifests', 'examples', 'scripted-model.mjs'), 'plan-and-approve'],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, PORT: '0' },
    },
  );
  const [said] = await once(model.stdout, 'data');
  return { url: /http:\S+/.exec(String(said))[0], close: () => model.kill() };
}

if (!existsSync(workspace)) cpSync(join(example, 'project'), workspace, { recursive: true });
const model = process.env.MODEL_URL === undefined ? await openModel() : undefined;
const child = spawn(process.execPath, [join(root, 'dist', 'kernel', 'main.mjs'), ...commandOf()], {
  stdio: 'inherit',
  env: { ...process.env, ...(model === undefined ? {} : { MODEL_URL: model.url }) },
});
const [status, signal] = await once(child, 'exit');
model?.close();
process.exitCode = signal === null ? (status === 2 ? 0 : (status ?? 1)) : 130;

import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { packageCopy, Place } from './command-line.ts';

describe('npm start', () => {
  let place: Place;
  beforeEach(() => {
    place = new Place();
    packageCopy(place);
  });
  afterEach(() => place.remove());

  const env = { ...process.env, NO_COLOR: '1' };
  const start = (): { readonly code: number | null; readonly said: string } => {
    const { status, stdout, stderr } = spawnSync(process.execPath, ['scripts/start.mjs'], {
      cwd: place.folder,
      env,
      encoding: 'utf8',
    });
    return { code: status, said: `${stdout}${stderr}` };
  };
  const workspace = (...path: readonly string[]): string =>
    place.path('manifests', 'examples', 'release-notes', 'workspace', ...path);
  const ANSWER = `npx telo-xmd answer release-notes:2.4.0 '{"decision":"publish"}' --resume`;
  const decide = (decision: string): number | null =>
    spawnSync(
      process.execPath,
      ['dist/kernel/main.mjs', 'answer', 'release-notes:2.4.0', JSON.stringify({ decision }), '--resume'],
      { cwd: place.folder, env },
    ).status;

  it('runs the example until it waits, ends with 0 and says what to type, now and when started again', () => {
    const first = start();
    expect(first.code).toBe(0);
    expect(first.said).toContain(ANSWER);
    expect(readFileSync(workspace('notes', '2.4.0.md'), 'utf8')).toMatch(/^# lantern 2\.4\.0\n/);
    expect(existsSync(workspace('drafts', '2.4.0.md'))).toBe(false);

    const again = start();
    expect(again.code).toBe(0);
    expect(again.said).toMatch(/^Run release-notes:2\.4\.0 was started before and still waits\.$/m);
    expect(again.said).toContain(ANSWER);
    expect(again.said).not.toContain('✓');
  });

  it('completes after the answer, and then says how to see it and how to start afresh', () => {
    start();
    expect(decide('publish')).toBe(0);
    expect(readFileSync(workspace('published', '2.4.0.md'))).toEqual(readFileSync(workspace('notes', '2.4.0.md')));
    const after = start();
    expect(after.code).toBe(0);
    expect(after.said).toContain('nothing was done again');
    expect(after.said).toContain('npx telo-xmd show release-notes:2.4.0');

    const afresh = /rm -r (.*) && npm start/.exec(after.said)?.[1]?.split(' ') ?? [];
    for (const path of afresh) rmSync(place.path(path), { recursive: true });
    expect(start().said).toContain(ANSWER);
  });

  it('withdraws the notes when the answer says so', () => {
    start();
    expect(decide('withdraw')).toBe(0);
    expect(existsSync(workspace('notes', '2.4.0.md'))).toBe(false);
    expect(existsSync(workspace('published'))).toBe(false);
  });

  it('goes on after a kill, and keeps what a person has changed', async () => {
    const child = spawn(process.execPath, ['scripts/start.mjs'], {
      cwd: place.folder,
      env,
      stdio: 'ignore',
      detached: true,
    });
    const gone = new Promise((resolve) => child.on('close', resolve));
    // Killed as soon as its journal is there, wherever it is then.
    while (!existsSync(place.path('.telo', 'runs.db'))) await new Promise((resolve) => setImmediate(resolve));
    process.kill(-(child.pid ?? 0), 'SIGKILL');
    await gone;
    writeFileSync(workspace('mine.md'), 'mine\n');
    const { code, said } = start();
    expect(code).toBe(0);
    expect(said).toContain(ANSWER);
    expect(readFileSync(workspace('mine.md'), 'utf8')).toBe('mine\n');
  });
});

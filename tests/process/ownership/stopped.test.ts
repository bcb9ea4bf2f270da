import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { untilStopped } from '../../support/processes/command.ts';
import { RUN } from '../../support/processes/plan.ts';
import { Sandbox } from '../../support/processes/sandbox.ts';
import type { LogLine } from '../../support/processes/sandbox.ts';
import { callsOf, LOADED_MS, makeContested } from './contested-run.ts';
import type { Contested } from './contested-run.ts';

type Side = 'before' | 'after';

it.each([
  ['ends the run', 'ends', 0, ['before']],
  ['brings it to its next wait', 'waits', 2, ['before', 'after']],
] as const)(
  'S4 stopped at each write of its journal until its claim lapses, and continued after another process %s, it does nothing',
  async (_how, next, code, sides) => {
    const contested = await makeContested(next);
    expect(contested.writes).toBe(next === 'ends' ? 12 : 14);
    const points = Array.from({ length: contested.writes }, (_, index) => index + 1).flatMap((at) =>
      sides.map((side) => ({ at, side, code })),
    );
    const work = async (): Promise<void> => {
      for (let point = points.shift(); point !== undefined; point = points.shift()) await outlive(contested, point);
    };
    await Promise.all([work(), work()]);
    contested.parked.remove();
  },
  LOADED_MS,
);

it(
  'S4 stopped inside an effect until its claim lapses, it changes no file but in the very call it was stopped in, and does nothing else',
  async () => {
    const contested = await makeContested('ends');
    const { changes } = contested;
    expect(changes.filter((one) => / (a\.md|TEMPORARY|\.)$/.test(one)).length).toBeGreaterThan(3);
    const inside = [
      [changes.findIndex((one) => one.startsWith('create ')), /^(create|write|flush|chmod|unlink) /, 'a.md'],
      [changes.indexOf('rename a.md'), /^(rename a\.md|flush \.)$/, 'a.md'],
      [changes.indexOf('unlink c.md'), /^(unlink c\.md|flush \.)$/, 'c.md'],
    ] as const;
    for (const [at, own, file] of inside) {
      const sandbox = new Sandbox(contested.parked);
      const clock = join(sandbox.folder, 'clock');
      writeFileSync(clock, '0');
      const first = sandbox.start(['resume', RUN], { FAULTS_CLOCK: clock, FAULTS_FS_STOP_AT: String(at + 1) });
      await untilStopped(first);
      writeFileSync(clock, '61000');
      const other = await sandbox.command(['resume', RUN], { FAULTS_CLOCK: clock });
      expect({ file, code: other.code, stderr: other.stderr }).toMatchObject({ code: 0 });
      const before = { log: sandbox.log(), files: sandbox.files() };
      process.kill(first.pid, 'SIGCONT');
      const ended = await first.ended;
      expect(ended.signal).toBeNull();
      expect(ended.stderr).not.toMatch(/^\s+at /m);
      const late = sandbox.log().slice(before.log.length);
      expect({ file, late: late.filter(({ kind }) => kind === 'call' || kind === 'change') }).toEqual({
        file,
        late: [],
      });
      for (const line of late) if (line.kind === 'fs') expect(`${line.call} ${line.path}`).toMatch(own);
      expect(await sandbox.recorded(RUN)).toEqual(contested.finished);
      expect(sandbox.files()).toEqual(settled(before.files));
      expect(callsOf(sandbox.log())).not.toContain('repair');
      sandbox.remove();
    }
    contested.parked.remove();
  },
  LOADED_MS,
);

/** Without the temporary file that the stopped process was filling. */
function settled(files: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(files).filter(([name]) => !name.startsWith('.xmd-')));
}

/** Stops a process at one write, lets another one go on with the run, and continues the first. */
async function outlive(
  { parked, finished }: Contested,
  point: { readonly at: number; readonly side: Side; readonly code: number },
): Promise<void> {
  const sandbox = new Sandbox(parked);
  const clock = join(sandbox.folder, 'clock');
  writeFileSync(clock, '0');
  const faults = { FAULTS_CLOCK: clock, FAULTS_STOP_AT: String(point.at), FAULTS_SIDE: point.side };
  const first = sandbox.start(['resume', RUN], faults);
  await untilStopped(first);
  // More than the claim's minute passes for both.
  writeFileSync(clock, '61000');
  const other = await sandbox.command(['resume', RUN], { FAULTS_CLOCK: clock });
  expect({ ...point, code: other.code }).toEqual(point);
  expect({ ...point, recorded: await sandbox.recorded(RUN) }).toEqual({ ...point, recorded: finished });
  const before = { log: sandbox.log(), files: sandbox.files() };

  process.kill(first.pid, 'SIGCONT');
  const ended = await first.ended;
  expect({ ...point, signal: ended.signal }).toEqual({ ...point, signal: null });
  expect(ended.stderr).not.toMatch(/^\s+at /m);
  const late = sandbox.log().slice(before.log.length);
  expect({ ...point, late: late.filter(({ kind }) => kind !== 'journal') }).toEqual({ ...point, late: [] });
  // The write after which it was stopped had been made before; only its line in the log comes later.
  expect(late.filter(madeSomething).length).toBeLessThanOrEqual(point.side === 'after' ? 1 : 0);
  expect({ ...point, recorded: await sandbox.recorded(RUN) }).toEqual({ ...point, recorded: finished });
  expect(sandbox.files()).toEqual(before.files);
  // No author's `try` took it for a failure, and no `retry` sent anything again.
  expect(callsOf(sandbox.log())).toEqual(expect.not.arrayContaining(['repair']));
  sandbox.remove();
}

/** A claim that is refused and one that is given back are calls, too, and change nothing. */
function madeSomething(line: LogLine): boolean {
  return line.kind === 'journal' && line.call !== 'claimRun' && line.call !== 'releaseRun';
}

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

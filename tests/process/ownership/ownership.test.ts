import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { untilStopped } from '../../support/processes/command.ts';
import { driveToEnd } from '../../support/processes/drive.ts';
import type { Program } from '../../support/processes/drive.ts';
import { preparePlan, RUN } from '../../support/processes/plan.ts';
import { Sandbox } from '../../support/processes/sandbox.ts';
import type { LogLine, Recorded } from '../../support/processes/sandbox.ts';

const STEP = `
  - name: guarded
    try:
      - name: apply
        invoke: !ref applyPlan
        inputs: { text: !cel inputs.text }
        retry: { attempts: 3, initialDelay: 1, jitter: none }
      - { name: later, invoke: !ref later }
    catch:
      - { name: repair, invoke: !ref repair }`;
const FRAGMENT =
  '<Look /><Ask /><Record title="one" /><File path="a.md">a</File><Dir path="b"></Dir><File.Delete path="c.md" />';
const FINISHED = ['look', 'record', 'later'];
const ROUNDS = 32;
/** Far beyond what a machine needs that does nothing else. */
const LOADED_MS = 300_000;

describe('one run, two processes', () => {
  let parked: Sandbox;
  let finished: Recorded;
  let program: Program;

  beforeAll(async () => {
    parked = new Sandbox();
    program = preparePlan(parked, { fragment: FRAGMENT, step: STEP, tail: '', files: { 'c.md': 'c' } });
    await parked.command(program.start);
    await parked.command(['answer', RUN, '"yes"']);
    const undisturbed = new Sandbox(parked);
    await driveToEnd(undisturbed, program);
    finished = await undisturbed.recorded(RUN);
    undisturbed.remove();
  });
  afterAll(() => parked.remove());

  it(
    `S4 ${String(ROUNDS)} times resumed or started by both at once, every effect is performed once`,
    async () => {
      let busy = 0;
      for (let round = 0; round < ROUNDS; round += 1) {
        const sandbox = new Sandbox(parked);
        const args = round % 4 === 3 ? program.start : ['resume', RUN];
        const ended = await Promise.all([sandbox.command(args), sandbox.command(['resume', RUN])]);
        const codes = ended.map(({ code }) => code ?? -1).toSorted((one, two) => one - two);
        expect([
          [0, 0],
          [0, 75],
        ]).toContainEqual(codes);
        if (codes[1] === 75) busy += 1;
        expect(await sandbox.recorded(RUN)).toEqual(finished);
        expect(callsOf(sandbox.log())).toEqual(FINISHED);
        sandbox.remove();
      }
      console.log(`in ${String(busy)} of ${String(ROUNDS)} rounds one process found the run held by the other`);
    },
    LOADED_MS,
  );

  it(
    'S4 one is stopped at each write of its journal until its claim lapses, and continued when the other is done',
    async () => {
      const writes = await writesOf(parked);
      expect(writes).toBe(11);
      const points = Array.from({ length: writes }, (_, index) => index + 1).flatMap((at) =>
        (['before', 'after'] as const).map((side) => ({ at, side })),
      );
      const next = async (): Promise<void> => {
        for (let point = points.shift(); point !== undefined; point = points.shift())
          await outlive(parked, finished, point);
      };
      await Promise.all([next(), next()]);
    },
    LOADED_MS,
  );
});

/** Stops a process at one write, lets another finish the run, and continues it. */
async function outlive(
  parked: Sandbox,
  finished: Recorded,
  point: { at: number; side: 'before' | 'after' },
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
  expect({ ...point, code: other.code, stderr: other.stderr }).toMatchObject({ ...point, code: 0 });
  expect(await sandbox.recorded(RUN)).toEqual(finished);
  const before = { log: sandbox.log(), files: sandbox.files() };

  process.kill(first.pid, 'SIGCONT');
  const ended = await first.ended;
  expect(ended.signal).toBeNull();
  expect(ended.stderr).not.toMatch(/^\s+at /m);
  const late = sandbox.log().slice(before.log.length);
  // The write after which it was stopped had been made before; only its line in the log comes later.
  expect({ ...point, late: late.filter(({ kind }) => kind !== 'journal') }).toEqual({ ...point, late: [] });
  expect(late.filter(madeSomething).length).toBeLessThanOrEqual(point.side === 'after' ? 1 : 0);
  expect(await sandbox.recorded(RUN)).toEqual(finished);
  expect(sandbox.files()).toEqual(before.files);
  expect(callsOf(sandbox.log()).filter((name) => name === 'repair')).toEqual([]);
  sandbox.remove();
}

/** A claim that is refused and one that is given back are calls, too, and write nothing. */
function madeSomething(line: LogLine): boolean {
  return line.kind === 'journal' && line.call !== 'claimRun' && line.call !== 'releaseRun';
}

function callsOf(log: readonly LogLine[]): readonly string[] {
  return log.flatMap((line) => (line.kind === 'call' ? [line.name] : []));
}

async function writesOf(parked: Sandbox): Promise<number> {
  const sandbox = new Sandbox(parked);
  const known = sandbox.log().length;
  await sandbox.command(['resume', RUN]);
  const writes = sandbox
    .log()
    .slice(known)
    .filter(({ kind }) => kind === 'journal').length;
  sandbox.remove();
  return writes;
}

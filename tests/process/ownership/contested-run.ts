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
const WAIT = `
  - { name: approve, invoke: !ref approval }`;

/** Far beyond what a machine needs that does nothing else. */
export const LOADED_MS = 300_000;

/** A run whose wait is answered, and what stands on record when the next process has come to its end undisturbed. */
export interface Contested {
  readonly parked: Sandbox;
  readonly program: Program;
  readonly finished: Recorded;
  /** Writes of the journal of that next process. */
  readonly writes: number;
  /** What it changes below the root, in order. */
  readonly changes: readonly string[];
}

/** Makes a run that the next process ends, or brings to a further wait. Effect. */
export async function makeContested(next: 'ends' | 'waits'): Promise<Contested> {
  const parked = new Sandbox();
  const tail = next === 'waits' ? WAIT : '';
  const program = preparePlan(parked, { fragment: FRAGMENT, step: STEP, tail, files: { 'c.md': 'c' } });
  await parked.command(program.start);
  await parked.command(['answer', RUN, '"yes"']);
  const undisturbed = new Sandbox(parked);
  if (next === 'ends') await driveToEnd(undisturbed, program);
  else await undisturbed.command(['resume', RUN]);
  const finished = await undisturbed.recorded(RUN);
  const all = undisturbed.log().slice(parked.log().length);
  undisturbed.remove();
  const changes = all.flatMap((line) =>
    line.kind === 'fs' && line.call !== 'read' ? [`${line.call} ${line.path}`] : [],
  );
  return { parked, program, finished, changes, writes: all.filter(({ kind }) => kind === 'journal').length };
}

export function callsOf(log: readonly LogLine[]): readonly string[] {
  return log.flatMap((line) => (line.kind === 'call' ? [line.name] : []));
}

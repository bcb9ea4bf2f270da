import type { Ended } from './command.ts';
import type { Sandbox } from './sandbox.ts';

/** A run and what a person would type for it. */
export interface Program {
  readonly run: string;
  readonly start: readonly string[];
  /** Answers by the path of their wait. */
  readonly answers: Readonly<Record<string, unknown>>;
}

const PROCESSES_MAX = 12;

/** What the next process of a run is called with; undefined once the run is settled. Effect: reads the journal. */
export async function nextCommand(sandbox: Sandbox, program: Program): Promise<readonly string[] | undefined> {
  const { run, start, answers } = program;
  const record = await sandbox.record(run);
  if (record === undefined) return start;
  if (record.status === 'running') return ['resume', run];
  if (record.status !== 'parked') return undefined;
  const wait = (await sandbox.waits(run)).find(({ state }) => state === 'open');
  if (wait === undefined) throw new Error(`run ${run} is parked on nothing`);
  return ['answer', run, JSON.stringify(answers[wait.path]), '--at', wait.path];
}

/** Brings a run to its end, whatever happened to it: one process after another, as a person would. Effect. */
export async function driveToEnd(sandbox: Sandbox, program: Program): Promise<readonly Ended[]> {
  const processes: Ended[] = [];
  for (;;) {
    const args = await nextCommand(sandbox, program);
    if (args === undefined) return processes;
    if (processes.length === PROCESSES_MAX) throw new Error(`run ${program.run} comes to no end`);
    const ended = await sandbox.command(args[0] === 'answer' ? [...args, '--resume'] : args);
    if (ended.code !== 0 && ended.code !== 2) {
      throw new Error(`telo-xmd ${args.join(' ')} ended with ${String(ended.code ?? ended.signal)}: ${ended.stderr}`);
    }
    processes.push(ended);
  }
}

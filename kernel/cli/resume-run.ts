import { dirname, resolve } from 'node:path';
import { InvokeError } from '@telorun/sdk';
import type { RunRecord } from '@telorun/sdk/journal';
import type { Arguments, CommandWorld } from './command.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import { withJournal, type JournalChoice } from './open-journal.ts';
import { openForCommand } from './open-kernel.ts';
import { jsonText, printable } from './printable.ts';
import { exitCodeOfRun, sayEnd, type RunEnd } from './settle.ts';
import { watchSignals } from './signals.ts';
import { unknownRun } from './unknown-run.ts';
import { pickWorkflow } from './workflows.ts';

export interface ResumeOptions {
  readonly args: Arguments;
  readonly world: CommandWorld;
  readonly choice: JournalChoice;
  readonly force: boolean;
}

/** Continues one run in this process, through the manifest its record names. Effect. */
export async function resumeRun(run: string, options: ResumeOptions): Promise<ExitCode> {
  const { args, world, choice } = options;
  const record = await withJournal(choice, (journal) => journal.readRun(run));
  if (record === undefined) throw unknownRun(run);
  const end = isSettled(record) ? record : await execute(record, options);
  if (args.flag('json')) {
    const waits = end.waits?.map(({ token: _token, ...wait }) => wait);
    world.stdout.write(
      `${jsonText({ ok: end.status === 'completed', run: end.run, status: end.status, result: end.result, error: end.error, problem: end.problem, waits })}\n`,
    );
  } else sayEnd(end, { world, journal: choice.again });
  return exitCodeOfRun(end);
}

function isSettled(record: RunRecord): record is RunRecord & RunEnd {
  return record.status === 'completed' || record.status === 'failed' || record.status === 'cancelled';
}

async function execute(record: RunRecord, options: ResumeOptions): Promise<RunEnd> {
  const { args, world, choice } = options;
  const manifest = args.text('manifest') ?? manifestOf(record, choice);
  const named = withJournalOption(args, choice);
  const { kernel } = await openForCommand(manifest, named, world, { quiet: args.flag('json') });
  const signals = watchSignals(kernel);
  try {
    const { instance } = pickWorkflow(kernel, record.program?.workflow);
    const reason = args.text('reason');
    const end = await instance.execute(record.run, {
      force: options.force,
      ...(reason === undefined ? {} : { reason }),
    });
    if (signals.interrupted)
      throw new InvokeError('ERR_INVOKE_CANCELLED', `Run ${printable(record.run)} was interrupted; it can be resumed`);
    return end;
  } finally {
    await kernel.close();
    signals.stop();
  }
}

function manifestOf(record: RunRecord, choice: JournalChoice): string {
  if (record.program === undefined) {
    throw new InvokeError(
      'ERR_CLI_USAGE',
      `Cannot find the manifest of run "${printable(record.run)}": its record names none`,
      {
        run: record.run,
        hint: 'Name it with --manifest.',
      },
    );
  }
  return resolve(dirname(choice.file), record.program.manifest);
}

/** The journal that was read is the journal the manifest runs on, whatever the default would be. */
function withJournalOption(args: Arguments, choice: JournalChoice): Arguments {
  return { ...args, text: (option) => (option === 'journal' ? choice.file : args.text(option)) };
}

/** Continues every run that is due. Effect. Answers the exit codes, in the order of the runs. */
export async function resumeAll(options: ResumeOptions): Promise<readonly ExitCode[]> {
  const { world, choice } = options;
  const due = await withJournal(choice, (journal) => journal.dueRuns(world.now(), Number.MAX_SAFE_INTEGER));
  const codes: ExitCode[] = [];
  for (const run of due) {
    const { reportError } = await import('./report-error.ts');
    try {
      codes.push(await resumeRun(run, options));
    } catch (error) {
      // One run that cannot go on must not keep the others waiting; an interruption ends them all.
      codes.push(await reportError(error, world, { json: options.args.flag('json') }));
      if (codes.at(-1) === EXIT.interrupted) break;
    }
  }
  if (due.length === 0 && !options.args.flag('json')) world.stdout.write('No run is due.\n');
  return codes;
}

import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { InvokeError } from '@telorun/sdk';
import type { RunRecord } from '@telorun/sdk/journal';
import type { Arguments, CommandWorld } from './command.ts';
import { EXIT, exitCodeOf, type ExitCode } from './exit-codes.ts';
import { withJournal, type JournalChoice } from './open-journal.ts';
import { openForCommand } from './open-kernel.ts';
import { resumeCommand } from './next-command.ts';
import { jsonDocument, printable } from './printable.ts';
import { factsOf, reportError } from './report-error.ts';
import { exitCodeOfRun, plainEnd, sayEnd, type RunEnd } from './settle.ts';
import { watchSignals } from './signals.ts';
import { unknownRun } from './unknown-run.ts';
import { notFoundError } from './usage.ts';
import { pickWorkflow } from './workflows.ts';

export interface ResumeOptions {
  readonly args: Arguments;
  readonly world: CommandWorld;
  readonly choice: JournalChoice;
  readonly force: boolean;
}

/** Continues one run in this process, through the manifest its record names, and says how it ended. Effect. */
export async function resumeRun(run: string, options: ResumeOptions): Promise<ExitCode> {
  const { args, world, choice } = options;
  const end = await continued(run, options);
  if (args.flag('json')) world.stdout.write(jsonDocument({ ok: end.status === 'completed', ...plainEnd(end) }));
  else sayEnd(end, { world, journal: choice.again });
  return exitCodeOfRun(end);
}

async function continued(run: string, options: ResumeOptions): Promise<RunEnd> {
  const record = await withJournal(options.choice, (journal) => journal.readRun(run));
  if (record === undefined) throw unknownRun(run, options.choice);
  return isSettled(record) ? record : execute(record, options);
}

function isSettled(record: RunRecord): record is RunRecord & RunEnd {
  return record.status === 'completed' || record.status === 'failed' || record.status === 'cancelled';
}

async function execute(record: RunRecord, options: ResumeOptions): Promise<RunEnd> {
  const { args, world, choice } = options;
  const manifest = args.text('manifest') ?? manifestOf(record, choice);
  const named = withJournalOption(args, choice);
  const { kernel } = await openForCommand(manifest, named, world, { quiet: args.flag('json') });
  const signals = watchSignals(kernel, world);
  try {
    const { instance } = pickWorkflow(kernel, record.program?.workflow ?? args.text('workflow'));
    const reason = args.text('reason');
    const end = await instance.execute(record.run, {
      force: options.force,
      ...(reason === undefined ? {} : { reason }),
    });
    if (signals.interrupted && end.status === 'running') {
      throw new InvokeError('ERR_INVOKE_CANCELLED', `Run ${record.run} was interrupted and can be resumed`, {
        hint: `Continue it with: ${resumeCommand(record.run, { journal: choice.again })}`,
      });
    }
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
  const file = resolve(dirname(choice.file), record.program.manifest);
  if (existsSync(file)) return file;
  throw notFoundError(
    `Cannot find the manifest of run "${printable(record.run)}" at "${printable(file)}"`,
    'Name it with --manifest, where it was moved.',
  );
}

/** The journal that was read is the journal the manifest runs on, whatever the default would be. */
function withJournalOption(args: Arguments, choice: JournalChoice): Arguments {
  return { ...args, text: (option) => (option === 'journal' ? choice.file : args.text(option)) };
}

/** Continues every run that is due and says how each ended. Effect. Answers the exit codes, in the order of the runs. */
export async function resumeAll(options: ResumeOptions): Promise<readonly ExitCode[]> {
  const { args, world, choice } = options;
  const json = args.flag('json');
  const due = await withJournal(choice, (journal) => journal.dueRuns(world.now(), Number.MAX_SAFE_INTEGER));
  const codes: ExitCode[] = [];
  const told: unknown[] = [];
  for (const run of due) {
    try {
      const end = await continued(run, options);
      codes.push(exitCodeOfRun(end));
      if (json) told.push(plainEnd(end));
      else sayEnd(end, { world, journal: choice.again });
    } catch (error) {
      // One run that cannot go on must not keep the others waiting; an interruption ends them all.
      const facts = factsOf(error);
      codes.push(json ? exitCodeOf(facts.code) : await reportError(error, world, { json }));
      told.push({ run, error: { code: facts.code, message: facts.message } });
      if (codes.at(-1) === EXIT.interrupted) break;
    }
  }
  if (json) {
    world.stdout.write(jsonDocument({ ok: codes.every((code) => code === EXIT.completed), runs: told }));
  } else if (due.length === 0) world.stdout.write('No run is due.\n');
  return codes;
}

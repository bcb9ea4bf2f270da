import { closeSync, fsyncSync, openSync, rmSync, writeSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { InvokeError } from '@telorun/sdk';
import type { FencedJournal, RunRecord, RunStatus, WholeRun } from '@telorun/sdk/journal';
import { JOURNAL_OPTION, JSON_OPTION, type Command, type CommandWorld } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import { chooseJournal, withJournal, type JournalChoice } from '../open-journal.ts';
import { jsonDocument, printable } from '../printable.ts';
import { folderOfExport, transferBundle, withProgramFrom } from '../transfer.ts';
import { unknownRun } from '../unknown-run.ts';
import { notFoundError, usageError } from '../usage.ts';

const SETTLED: ReadonlySet<RunStatus> = new Set<RunStatus>(['completed', 'failed', 'cancelled']);

/** Writes a whole run as a file of a Telo kernel. @see kernel-specs/command-line.md CL-21 */
export const exportCommand: Command = {
  name: 'export',
  usage: 'telo-xmd export <run> [-o FILE|-] [--journal FILE] [--json]',
  summary: 'Writes all that is on record of a run, as a Telo kernel keeps it: NDJSON.',
  options: {
    output: { type: 'string', short: 'o', value: 'FILE', help: 'a new file (default -: standard output)' },
    ...JOURNAL_OPTION,
    ...JSON_OPTION,
  },
  positionals: { least: 1, most: 1 },
  notes: [
    'The run stays where it is. Continue it in one place only, or its steps are performed twice.',
    'What is written holds the tokens of its waits: whoever has it can answer them.',
  ],
  run: async (args, world) => {
    const run = args.positionals[0] ?? '';
    const stated = args.text('output') ?? '-';
    const file = stated === '-' ? undefined : stated;
    if (file === undefined && args.flag('json')) {
      throw usageError('Cannot print the run and a JSON document at once', 'Name a file with -o, or leave --json out.');
    }
    const choice = chooseJournal(args, world);
    const whole = await withJournal(choice, (journal) => wholeOf(journal, run, choice));
    const folders = { from: dirname(choice.file), to: folderOfExport(file, world.cwd) };
    const { exportedRun } = await transferBundle();
    const lines = exportedRun({ ...whole, record: withProgramFrom(whole.record, folders) }, world.now());
    if (file === undefined) {
      for (const line of lines) world.stdout.write(line);
      return EXIT.completed;
    }
    writeNew(file, lines, world);
    const { status } = whole.record;
    const entries = whole.entries.length;
    if (args.flag('json')) world.stdout.write(jsonDocument({ ok: true, run, file, status, entries }));
    else world.stdout.write(`Exported run ${printable(run)} (${status}, ${entries} entries) to ${printable(file)}.\n`);
    return EXIT.completed;
  },
};

/**
 * What is on record of a run that nobody executes meanwhile.
 *
 * @throws InvokeError ERR_DURABLE_RUN_NOT_FOUND, ERR_DURABLE_RUN_BUSY
 */
async function wholeOf(journal: FencedJournal, run: string, choice: JournalChoice): Promise<WholeRun> {
  const record = await journal.readRun(run);
  if (record === undefined) throw unknownRun(run, choice);
  assertIdle(record);
  const whole = { record, entries: await journal.readEntries(run), waits: await journal.readWaits(run) };
  const after = await journal.readRun(run);
  // Whoever claimed it in between, or answered it, has changed when it was last written.
  if (after === undefined || after.updatedAt !== record.updatedAt || after.status !== record.status) throw busy(record);
  assertIdle(after);
  return whole;
}

function assertIdle(record: RunRecord): void {
  if (record.claimed === true && !SETTLED.has(record.status)) throw busy(record);
}

function busy({ run, status }: RunRecord): InvokeError {
  return new InvokeError('ERR_DURABLE_RUN_BUSY', `Cannot export run "${printable(run)}": it is being executed`, {
    run,
    status,
    hint: 'Wait until it parks or ends, or end the process that executes it.',
  });
}

/** Effect: makes a file, private to this user, that is not there yet; a part of it does not stay. */
function writeNew(name: string, lines: readonly string[], world: CommandWorld): void {
  const file = resolve(world.cwd, name);
  const fd = makeFile(file, name);
  try {
    for (const line of lines) {
      const bytes = Buffer.from(line);
      for (let done = 0; done < bytes.length;) done += writeSync(fd, bytes, done);
    }
    fsyncSync(fd);
  } catch (error) {
    rmSync(file, { force: true });
    throw unwritable(name, error);
  } finally {
    closeSync(fd);
  }
}

function makeFile(file: string, name: string): number {
  try {
    return openSync(file, 'wx', 0o600);
  } catch (error) {
    throw unwritable(name, error);
  }
}

function unwritable(name: string, error: unknown): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (typeof code !== 'string') return error;
  const named = `"${printable(name)}"`;
  if (code === 'EEXIST') return usageError(`Cannot write ${named}: it is there already`, 'Name a new file.');
  if (code === 'ENOENT') return notFoundError(`Cannot write ${named}: its folder is not there`, 'Make the folder.');
  return new InvokeError('ERR_CLI_UNWRITABLE', `Cannot write ${named}: ${code}`, {
    hint: 'Name a place with room that this user may write.',
  });
}

import { dirname } from 'node:path';
import { InvokeError } from '@telorun/sdk';
import { JOURNAL_OPTION, JSON_OPTION, type Command } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import { resumeCommand, showCommand } from '../next-command.ts';
import { chooseJournal, withJournal } from '../open-journal.ts';
import { jsonDocument, printable } from '../printable.ts';
import { readBytes } from '../read-input.ts';
import { folderOfExport, transferBundle, withProgramFrom } from '../transfer.ts';

/** Takes a run of an export, or of a Telo kernel, into a journal. @see kernel-specs/command-line.md CL-22 */
export const importCommand: Command = {
  name: 'import',
  usage: 'telo-xmd import <FILE|-> [--journal FILE] [--json]',
  summary: 'Takes a run that was exported, or that a Telo kernel left, into a journal. It executes nothing.',
  options: { ...JOURNAL_OPTION, ...JSON_OPTION },
  positionals: { least: 1, most: 1 },
  notes: [
    'The journal is made where it is missing; a name that ends in / is a folder of journal files.',
    'A run of another kernel names no program: resume it with --manifest, and --workflow where there are several.',
  ],
  run: async (args, world) => {
    const [stated = ''] = args.positionals;
    const file = stated === '-' ? undefined : stated;
    const { importedRun } = await transferBundle();
    const bytes = await readBytes(stated, world);
    const { record: read, ...rest } = importedRun(bytes, { file: file ?? 'standard input', now: world.now() });
    const choice = chooseJournal(args, world);
    const folders = { from: folderOfExport(file, world.cwd), to: dirname(choice.file) };
    const record = withProgramFrom(read, folders);
    const { run, status } = record;
    await withJournal({ ...choice, create: true }, async (journal) => {
      if (journal.adoptRun === undefined) throw new TypeError('A journal of this package takes whole runs');
      if (!(await journal.adoptRun({ record, ...rest }))) throw taken(run, (await journal.readRun(run))?.status);
    });
    const entries = rest.entries.length;
    if (args.flag('json')) {
      world.stdout.write(jsonDocument({ ok: true, run, status, entries, program: record.program?.workflow ?? null }));
      return EXIT.completed;
    }
    world.stdout.write(`Imported run ${printable(run)} (${status}, ${entries} entries).\n`);
    const next = status === 'running' && record.program !== undefined ? resumeCommand : showCommand;
    world.stdout.write(`Go on with: ${next(run, { journal: choice.again })}\n`);
    return EXIT.completed;
  },
};

function taken(run: string, status: string | undefined): InvokeError {
  return new InvokeError('ERR_DURABLE_RUN_EXISTS', `Cannot import run "${printable(run)}": a run of that id exists`, {
    run,
    ...(status === undefined ? {} : { status }),
    hint: 'Name another journal with --journal; what the journal has of the run was left as it is.',
  });
}

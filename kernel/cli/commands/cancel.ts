import { JOURNAL_OPTION, JSON_OPTION, type Command } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import { chooseJournal, withJournal } from '../open-journal.ts';
import { jsonDocument, printable } from '../printable.ts';
import { unknownRun } from '../unknown-run.ts';

/** Settles a run as cancelled. @see kernel-specs/command-line.md CL-09 */
export const cancel: Command = {
  name: 'cancel',
  usage: 'telo-xmd cancel <run> [--reason TEXT] [--journal FILE] [--json]',
  summary: 'Settles a run as cancelled. A process that executes it starts no further effect.',
  options: {
    reason: { type: 'string', value: 'TEXT', help: 'why; recorded with the run' },
    ...JOURNAL_OPTION,
    ...JSON_OPTION,
  },
  positionals: { least: 1, most: 1 },
  run: async (args, world) => {
    const run = args.positionals[0] ?? '';
    const choice = chooseJournal(args, world);
    return withJournal(choice, async (journal) => {
      if ((await journal.readRun(run)) === undefined) throw unknownRun(run, choice);
      const cancelled = await journal.cancelRun(run, args.text('reason'));
      const status = (await journal.readRun(run))?.status;
      if (args.flag('json')) world.stdout.write(jsonDocument({ ok: cancelled, run, cancelled, status }));
      else {
        const said = cancelled ? 'is cancelled' : `is ${String(status)} already; nothing was changed`;
        world.stdout.write(`Run ${printable(run)} ${said}.\n`);
      }
      return cancelled || status === 'cancelled' ? EXIT.completed : EXIT.refused;
    });
  },
};

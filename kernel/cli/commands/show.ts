import { JOURNAL_OPTION, JSON_OPTION, type Command } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import { chooseJournal, withJournal } from '../open-journal.ts';
import { paint } from '../paint.ts';
import { jsonText } from '../printable.ts';
import { unknownRun } from '../unknown-run.ts';
import { storyLines, type Story } from '../story.ts';

/** Tells the story of one run from the journal alone. @see kernel-specs/command-line.md CL-06 */
export const show: Command = {
  name: 'show',
  usage: 'telo-xmd show <run> [--journal FILE] [--json]',
  summary: 'Tells the story of one run: its steps as a tree, why it is where it is, and what to type next.',
  options: { ...JOURNAL_OPTION, ...JSON_OPTION },
  positionals: { least: 1, most: 1 },
  notes: ['Tokens are never printed.'],
  run: async (args, world) => {
    const run = args.positionals[0] ?? '';
    const choice = chooseJournal(args, world);
    return withJournal(choice, async (journal) => {
      const record = await journal.readRun(run);
      if (record === undefined) throw unknownRun(run);
      const story: Story = { record, entries: await journal.readEntries(run), waits: await journal.readWaits(run) };
      if (args.flag('json')) world.stdout.write(`${jsonText(plainStory(story))}\n`);
      else {
        const lines = storyLines(story, { paint: paint(world.stdout, world.env), journal: choice.again });
        world.stdout.write(`${lines.join('\n')}\n`);
      }
      return EXIT.completed;
    });
  },
};

const TOKEN = /(^|\/)_*token$/;

function plainStory({ record, entries, waits }: Story): unknown {
  const { parked, ...run } = record;
  const place = parked === undefined ? {} : { parked: { path: parked.path, resource: parked.resource } };
  return {
    ok: true,
    run: { ...run, ...place },
    waits: waits.map(({ token: _token, ...wait }) => wait),
    entries: entries.map((entry) =>
      entry.kind === 'decision' && TOKEN.test(entry.path) ? { ...entry, value: '(not shown)' } : entry,
    ),
  };
}

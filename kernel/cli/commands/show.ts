import { dirname, relative, resolve } from 'node:path';
import { JOURNAL_OPTION, JSON_OPTION, type Command } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import { chooseJournal, withJournal, type JournalChoice } from '../open-journal.ts';
import { outlineOf } from '../outline.ts';
import { paint } from '../paint.ts';
import { jsonDocument } from '../printable.ts';
import { unknownRun } from '../unknown-run.ts';
import { storyLines, type Story } from '../story.ts';
import { isToken, NOT_SHOWN, withoutTokens } from '../without-tokens.ts';

/** Tells the story of one run from the journal alone. @see kernel-specs/command-line.md CL-06 */
export const show: Command = {
  name: 'show',
  usage: 'telo-xmd show <run> [--failed] [--path PATH] [--journal FILE] [--json]',
  summary: 'Tells the story of one run: its steps as a tree, why it is where it is, and what to type next.',
  options: {
    failed: { type: 'boolean', help: 'only what failed, with the steps that lead to it' },
    path: { type: 'string', value: 'PATH', help: 'only this step and what is below it' },
    ...JOURNAL_OPTION,
    ...JSON_OPTION,
  },
  positionals: { least: 1, most: 1 },
  notes: ['Tokens are never printed.'],
  run: async (args, world) => {
    const run = args.positionals[0] ?? '';
    const choice = chooseJournal(args, world);
    return withJournal(choice, async (journal) => {
      const record = await journal.readRun(run);
      if (record === undefined) throw unknownRun(run, choice);
      const found: Found = { record, entries: await journal.readEntries(run), waits: await journal.readWaits(run) };
      const text = args.flag('json')
        ? jsonDocument(plainStory(found))
        : storyLines(
            { ...found, outline: await outlineOf(found.entries) },
            {
              paint: paint(world.stdout, world.env),
              journal: choice.again,
              ...(record.program === undefined
                ? {}
                : { manifest: manifestFrom(world.cwd, record.program.manifest, choice) }),
              filter: { failed: args.flag('failed'), path: args.text('path') },
              now: world.now(),
            },
          )
            .map((line) => `${line}\n`)
            .join('');
      world.stdout.write(withoutTokens(text, found));
      return EXIT.completed;
    });
  },
};

/** A record names its manifest from the journal's folder; a person looks for it from where the command runs. Pure. */
function manifestFrom(cwd: string, recorded: string, { file }: JournalChoice): string {
  return relative(cwd, resolve(dirname(file), recorded));
}

type Found = Pick<Story, 'record' | 'entries' | 'waits'>;

function plainStory({ record, entries, waits }: Found): unknown {
  const { parked, ...run } = record;
  const place = parked === undefined ? {} : { parked: { path: parked.path, resource: parked.resource } };
  return {
    ok: true,
    run: { ...run, ...place },
    waits: waits.map(({ token: _token, ...wait }) => wait),
    entries: entries.map((entry) => (isToken(entry) ? { ...entry, value: NOT_SHOWN } : entry)),
  };
}

import type { FencedJournal, RunRecord, RunStatus, WaitRecord } from '@telorun/sdk/journal';
import { JOURNAL_OPTION, JSON_OPTION, type Command, type CommandWorld } from '../command.ts';
import { instant, reasonOf } from '../reason.ts';
import { EXIT } from '../exit-codes.ts';
import { chooseJournal, withJournal } from '../open-journal.ts';
import { paint } from '../paint.ts';
import { jsonDocument, printable, shortened } from '../printable.ts';
import { usageError } from '../usage.ts';

const STATUSES: readonly RunStatus[] = ['scheduled', 'running', 'parked', 'completed', 'failed', 'cancelled'];

/** Lists runs. @see kernel-specs/command-line.md CL-05 */
export const runs: Command = {
  name: 'runs',
  usage: 'telo-xmd runs [--status STATUS] [--journal FILE] [--json]',
  summary: 'Lists the runs of a journal, the newest first, and how many of them wait for an answer.',
  options: {
    status: { type: 'string', value: 'STATUS', help: `only runs that are ${STATUSES.join(', ')}` },
    ...JOURNAL_OPTION,
    ...JSON_OPTION,
  },
  positionals: { least: 0, most: 0 },
  run: async (args, world) => {
    const status = readStatus(args.text('status'));
    return withJournal(chooseJournal(args, world), async (journal) => {
      const records = await journal.listRuns(status === undefined ? {} : { status });
      const rows = await Promise.all(
        records.map(async (record) => ({ record, waits: await openWaits(journal, record) })),
      );
      if (args.flag('json')) world.stdout.write(jsonDocument({ ok: true, runs: rows.map(plainRow) }));
      else printRows(rows, world);
      return EXIT.completed;
    });
  },
};

interface Row {
  readonly record: RunRecord;
  readonly waits: readonly WaitRecord[];
}

async function openWaits(journal: FencedJournal, record: RunRecord): Promise<readonly WaitRecord[]> {
  if (record.status !== 'parked' && record.status !== 'running') return [];
  return (await journal.readWaits(record.run)).filter((wait) => wait.state === 'open');
}

function readStatus(text: string | undefined): RunStatus | undefined {
  if (text === undefined) return undefined;
  const known = STATUSES.find((status) => status === text);
  if (known === undefined)
    throw usageError(`Cannot list runs that are "${text}"`, `Use one of: ${STATUSES.join(', ')}.`);
  return known;
}

function plainRow({ record, waits }: Row): unknown {
  const { parked: _parked, result: _result, inputs: _inputs, ...shown } = record;
  return { ...shown, waits: waits.map(({ token: _token, ...wait }) => wait) };
}

function printRows(rows: readonly Row[], world: CommandWorld): void {
  const { bold, dim } = paint(world.stdout, world.env);
  const waiting = rows.filter(({ waits }) => waits.some((wait) => wait.token !== undefined)).length;
  world.stdout.write(`${rows.length} ${rows.length === 1 ? 'run' : 'runs'}, ${waiting} waiting for an answer\n`);
  const width = Math.min(48, Math.max(3, ...rows.map(({ record }) => printable(record.run).length)));
  for (const { record, waits } of rows) {
    const when = record.updatedAt === undefined ? '' : instant(record.updatedAt);
    world.stdout.write(
      `${bold(shortened(record.run, width).padEnd(width))}  ${record.status.padEnd(9)}  ${dim(when)}  ${shortened(reasonOf(record, waits, world.now()), 120)}\n`,
    );
  }
}

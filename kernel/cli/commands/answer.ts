import type { AnswerReceipt, FencedJournal } from '@telorun/sdk/journal';
import { JOURNAL_OPTION, JSON_OPTION, type Arguments, type Command, type CommandWorld } from '../command.ts';
import { instant } from '../reason.ts';
import { EXIT, exitCodeOf, type ExitCode } from '../exit-codes.ts';
import { resumeCommand, showCommand } from '../next-command.ts';
import { isOpen, openWaitLines } from '../open-waits.ts';
import { paint } from '../paint.ts';
import { chooseJournal, withJournal, type JournalChoice } from '../open-journal.ts';
import { jsonDocument, printable } from '../printable.ts';
import { readJson } from '../read-input.ts';
import { resumeRun } from '../resume-run.ts';
import { unknownRun } from '../unknown-run.ts';
import { usageError } from '../usage.ts';
import { withoutTokens } from '../without-tokens.ts';

/** Answers one wait. @see kernel-specs/command-line.md CL-07 */
export const answer: Command = {
  name: 'answer',
  usage: 'telo-xmd answer <run|token> [JSON|@file|-] [--at PATH] [--resume] [--journal FILE]',
  summary: 'Gives an answer to a wait. It counts once; the run goes on when it is resumed.',
  options: {
    at: { type: 'string', value: 'PATH', help: 'step path of the wait, where several are open' },
    resume: { type: 'boolean', help: 'continue the run after the answer' },
    manifest: { type: 'string', value: 'FILE', help: 'with --resume: the manifest, where it was moved' },
    ...JOURNAL_OPTION,
    ...JSON_OPTION,
  },
  positionals: { least: 1, most: 2 },
  notes: ['Without an answer it shows what the run asks, and answers nothing.'],
  run: async (args, world) => {
    const [subject = '', text] = args.positionals;
    const choice = chooseJournal(args, world);
    if (text === undefined) return withJournal(choice, (journal) => ask(journal, { subject, args, world, choice }));
    const payload = await readJson(text, 'the answer', world);
    const { receipt, asked } = await withJournal(choice, async (journal) => {
      const given = await give(journal, { subject, payload, at: args.text('at') });
      const asks = !given.delivered && (given.reason === 'schema' || given.reason === 'several-open-waits');
      const lines = asks && given.run !== undefined ? await askedOf(journal, given.run, { args, world, choice }) : [];
      return { receipt: given, asked: lines };
    });
    if (!receipt.delivered) return refuse(receipt, { subject, args, world, choice, asked });
    if (!args.flag('json')) {
      world.stdout.write(`Answered ${printable(receipt.path)} of run ${printable(receipt.run)}.\n`);
    }
    return goOn(receipt.run, { args, world, choice, path: receipt.path });
  },
};

interface Asking {
  readonly args: Arguments;
  readonly world: CommandWorld;
  readonly choice: JournalChoice;
}

/** Shows what a run asks where no answer is given. Nothing is answered, so it ends as a usage error. */
async function ask(journal: FencedJournal, { subject, ...asking }: Asking & { subject: string }): Promise<ExitCode> {
  const { args, world } = asking;
  if ((await journal.readRun(subject)) === undefined) throw unknownRun(subject, asking.choice);
  const lines = args.flag('json') ? [] : await askedOf(journal, subject, asking);
  if (lines.length === 0) throw usageError(`Cannot answer "${subject}": no answer is given`, `Write: ${answer.usage}`);
  for (const line of lines) world.stderr.write(`${line}\n`);
  return EXIT.usage;
}

/** What the open waits of a run ask, that at `--at` alone where it is stated, with no token in it. */
async function askedOf(
  journal: FencedJournal,
  run: string,
  { args, world, choice }: Asking,
): Promise<readonly string[]> {
  const [waits, at] = [await journal.readWaits(run), args.text('at')];
  const open = waits.filter(isOpen);
  const lines = openWaitLines(
    open.filter(({ path }) => at === undefined || path === at),
    { paint: paint(world.stderr, world.env), journal: choice.again, several: open.length > 1 },
  );
  const text = withoutTokens(lines.join('\n'), { waits, entries: await journal.readEntries(run) });
  return text === '' ? [] : text.replace(/^\n/, '').split('\n');
}

async function give(
  journal: FencedJournal,
  options: { subject: string; payload: unknown; at: string | undefined },
): Promise<AnswerReceipt> {
  const { validateAnswer } = await import('../validate-answer.ts');
  const isRun = (await journal.readRun(options.subject)) !== undefined;
  const path = options.at === undefined ? {} : { path: options.at };
  const selector = isRun ? { run: options.subject, ...path } : { token: options.subject };
  return journal.answer(selector, options.payload, validateAnswer);
}

async function goOn(
  run: string,
  options: { args: Arguments; world: CommandWorld; choice: JournalChoice; path: string },
): Promise<ExitCode> {
  const { args, world, choice, path } = options;
  if (args.flag('resume')) return resumeRun(run, { args, world, choice, force: false });
  if (args.flag('json')) world.stdout.write(jsonDocument({ ok: true, delivered: true, run, path }));
  else world.stdout.write(`Continue it with: ${resumeCommand(run, { journal: choice.again })}\n`);
  return EXIT.completed;
}

function refuse(
  receipt: Extract<AnswerReceipt, { delivered: false }>,
  options: Asking & { readonly subject: string; readonly asked: readonly string[] },
): ExitCode {
  const { subject, args, world, choice, asked } = options;
  const code = REFUSED_AS[receipt.reason];
  const exit = exitCodeOf(code);
  const { waits, ...rest } = receipt;
  if (args.flag('json')) {
    const places = waits?.map(({ token: _token, ...wait }) => wait);
    world.stdout.write(jsonDocument({ ok: false, code, ...rest, ...(places === undefined ? {} : { waits: places }) }));
    return exit;
  }
  world.stderr.write(`The answer was not taken: ${sentence(receipt, subject)}  ${code}\n`);
  for (const problem of receipt.problems ?? []) world.stderr.write(`  ${printable(problem)}\n`);
  for (const wait of waits ?? []) {
    world.stderr.write(
      `  --at ${printable(wait.path)}   (${printable(wait.resource)}, since ${instant(wait.since)})\n`,
    );
  }
  for (const line of asked) world.stderr.write(`${line}\n`);
  const next = nextAfter(receipt, choice);
  if (next !== undefined) world.stderr.write(`${next}\n`);
  return exit;
}

/** What to type after an answer that was not taken; a run that is settled has nothing left to do. Pure. */
function nextAfter(
  { reason, run }: Extract<AnswerReceipt, { delivered: false }>,
  { again }: JournalChoice,
): string | undefined {
  const journal = { journal: again };
  switch (reason) {
    case 'unknown-run':
    case 'unknown-token':
      return 'List the runs with npx telo-xmd runs, or name another journal with --journal.';
    case 'already-answered':
    case 'closed':
      return run === undefined ? undefined : `Continue it with: ${resumeCommand(run, journal)}`;
    case 'no-open-wait':
      return run === undefined ? undefined : `See what it waits for with: ${showCommand(run, journal)}`;
    case 'schema':
    case 'several-open-waits':
    case 'terminal':
      return undefined;
    default:
      return reason satisfies never;
  }
}

type Reason = Extract<AnswerReceipt, { delivered: false }>['reason'];

const REFUSED_AS: Readonly<Record<Reason, string>> = {
  'unknown-run': 'ERR_CLI_NOT_FOUND',
  'unknown-token': 'ERR_CLI_NOT_FOUND',
  schema: 'ERR_DURABLE_PAYLOAD_INVALID',
  'several-open-waits': 'ERR_CLI_USAGE',
  'no-open-wait': 'ERR_CLI_ANSWER_REFUSED',
  'already-answered': 'ERR_CLI_ANSWER_REFUSED',
  closed: 'ERR_CLI_ANSWER_REFUSED',
  terminal: 'ERR_CLI_ANSWER_REFUSED',
};

function sentence(receipt: Extract<AnswerReceipt, { delivered: false }>, subject: string): string {
  const run = printable(receipt.run ?? subject);
  switch (receipt.reason) {
    case 'unknown-run':
    case 'unknown-token':
      return 'no run and no token of that name is known to this journal.';
    case 'no-open-wait':
      return `run ${run} waits for no answer there now.`;
    case 'already-answered':
      return `run ${run} has had its answer there; the first one counts.`;
    case 'closed':
      return `the wait of run ${run} is over, it timed out.`;
    case 'terminal':
      return `run ${run} is ${receipt.status ?? 'settled'}.`;
    case 'several-open-waits':
      return `run ${run} has several open waits. Name one:`;
    case 'schema':
      return `it is not of the shape that run ${run} waits for.`;
    default:
      return receipt.reason satisfies never;
  }
}

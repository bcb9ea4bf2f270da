import type { RunError, RunStatus, WaitRecord } from '@telorun/sdk/journal';
import type { CommandWorld } from './command.ts';
import { waitSentence } from './reason.ts';
import { isDoubt } from './doubt.ts';
import { EXIT, exitCodeOf, type ExitCode } from './exit-codes.ts';
import { answerCommand, resumeCommand } from './next-command.ts';
import { paint, type Paint } from './paint.ts';
import { printable, printableLines } from './printable.ts';
import { requestLines } from './request-lines.ts';
import { resultSummary } from './summary.ts';

/** How a run stands when an execution of it is over. */
export interface RunEnd {
  readonly run: string;
  readonly status: RunStatus;
  readonly result?: unknown;
  readonly error?: RunError;
  readonly waits?: readonly WaitRecord[];
  readonly problem?: RunError;
}

/** Exit code of one run's end. Pure. */
export function exitCodeOfRun(end: RunEnd): ExitCode {
  switch (end.status) {
    case 'completed':
      return EXIT.completed;
    case 'parked':
    case 'scheduled':
      return EXIT.suspended;
    case 'failed':
      return exitCodeOf(end.error?.code ?? 'INTERNAL_ERROR');
    case 'cancelled':
      return EXIT.failed;
    case 'running':
      return end.problem === undefined ? EXIT.busy : exitCodeOf(end.problem.code);
    default:
      return end.status satisfies never;
  }
}

/** A run's end as JSON data, without tokens. Pure. */
export function plainEnd({ run, status, result, error, problem, waits }: RunEnd): Readonly<Record<string, unknown>> {
  const shown = waits?.map(({ token: _token, ...wait }) => wait);
  return { run, status, result, error, problem, waits: shown };
}

/** How much each code says, every one of them. */
const WEIGHT: Readonly<Record<ExitCode, number>> = {
  [EXIT.completed]: 0,
  [EXIT.suspended]: 1,
  [EXIT.busy]: 2,
  [EXIT.refused]: 3,
  [EXIT.notFound]: 4,
  [EXIT.invalidInput]: 5,
  [EXIT.usage]: 6,
  [EXIT.failed]: 7,
  [EXIT.interrupted]: 8,
};

/** The code that says most of several ends; that of completed for none. Pure. */
export function worstOf(codes: readonly ExitCode[]): ExitCode {
  return codes.reduce<ExitCode>((worst, code) => (WEIGHT[code] > WEIGHT[worst] ? code : worst), EXIT.completed);
}

/** Says how a run ended and what to type next: one sentence and, where there is one, the exact command. Effect. */
export function sayEnd(
  end: RunEnd,
  options: { world: CommandWorld; journal: string | undefined; interrupted?: boolean },
): void {
  const { world } = options;
  const colours = paint(world.stderr, world.env);
  const { bold, red, green } = colours;
  const say = (text: string): void => {
    world.stderr.write(`${text}\n`);
  };
  const name = printable(end.run);
  switch (end.status) {
    case 'completed':
      say([green('completed'), name, resultSummary(end.result)].filter((part) => part !== '').join('  '));
      return;
    case 'failed':
    case 'cancelled':
      say(
        `${red(end.status)}  ${name}  ${printableLines(end.error?.message ?? '')}  ${printable(end.error?.code ?? '')}`,
      );
      sayHint(end.error, say);
      return;
    case 'scheduled':
      say(`Run ${name} is scheduled.`);
      return;
    case 'parked':
      sayWaits(end, options, say, colours);
      return;
    case 'running':
      sayUnsettled(end, options, say, bold);
      return;
    default:
      end.status satisfies never;
  }
}

type Say = (text: string) => void;

/** What the error itself says of how to go on. */
function sayHint(error: RunError | undefined, say: Say): void {
  const { data } = error ?? {};
  if (typeof data !== 'object' || data === null || !('hint' in data)) return;
  if (typeof data.hint === 'string' && data.hint !== '') say(`       ${printable(data.hint)}`);
}

function sayWaits(
  end: RunEnd,
  options: { world: CommandWorld; journal: string | undefined },
  say: Say,
  colours: Paint,
): void {
  const { bold } = colours;
  const open = (end.waits ?? []).filter((wait) => wait.state === 'open');
  if (open.length === 0) say(`Run ${printable(end.run)} is parked.`);
  for (const wait of open) {
    say(`Run ${printable(end.run)} is parked. ${waitSentence(wait, options.world.now())}`);
    for (const line of requestLines(wait, colours)) say(line);
    const decides = isDoubt(wait) && wait.token === undefined;
    const command =
      wait.token === undefined
        ? resumeCommand(end.run, { ...options, decides })
        : answerCommand(wait, { ...options, several: open.length > 1 });
    const first = wait.token === undefined ? 'Continue it after that' : 'Answer it';
    say(`${decides ? 'Decide it and continue' : first} with: ${bold(command)}`);
  }
}

function sayUnsettled(
  end: RunEnd,
  options: { journal: string | undefined; interrupted?: boolean },
  say: Say,
  bold: (text: string) => string,
): void {
  const { problem } = end;
  if (problem === undefined && options.interrupted !== true) {
    say(`Run ${printable(end.run)} is being run by another process.`);
    return;
  }
  const why =
    problem === undefined
      ? 'was interrupted and can be resumed.'
      : `stopped and can be resumed: ${printableLines(problem.message)}  ${printable(problem.code)}`;
  say(`Run ${printable(end.run)} ${why}`);
  say(`Continue it with: ${bold(resumeCommand(end.run, options))}`);
}

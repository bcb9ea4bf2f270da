import type { WaitRecord } from '@telorun/sdk/journal';
import type { Arguments, CommandWorld } from './command.ts';
import { isDoubt } from './doubt.ts';
import { withJournal, type JournalChoice } from './open-journal.ts';
import { printable } from './printable.ts';
import { readJson } from './read-input.ts';
import { unknownRun } from './unknown-run.ts';
import { inputError, notFoundError, usageError } from './usage.ts';
import { validateAnswer } from './validate-answer.ts';

/**
 * Records what `--doubt` says about the call that a run is in doubt about. Durable: the entry at the doubt's path.
 *
 * @throws InvokeError ERR_CLI_USAGE, ERR_CLI_INVALID_INPUT, ERR_CLI_NOT_FOUND
 * @see kernel-specs/host-operations.md HO-30
 */
export async function decideDoubt(
  run: string,
  options: { readonly args: Arguments; readonly world: CommandWorld; readonly choice: JournalChoice },
): Promise<void> {
  const { args, world, choice } = options;
  const decision = await readDecision(args, world);
  await withJournal(choice, async (journal) => {
    if ((await journal.readRun(run)) === undefined) throw unknownRun(run, choice);
    const path = pick(run, await journal.readWaits(run), args.text('at'));
    const receipt = await journal.answer({ run, path }, decision, validateAnswer);
    if (receipt.delivered) return;
    throw inputError(
      `The decision was not taken: ${receipt.reason}`,
      `Look at the run with: npx telo-xmd show ${printable(run)}`,
    );
  });
}

async function readDecision(args: Arguments, world: CommandWorld): Promise<unknown> {
  const decision = args.text('doubt');
  const value = args.text('value');
  if (decision !== 'done' && decision !== 'retry' && decision !== 'fail') {
    throw usageError(
      `Cannot decide "${decision ?? ''}" about a call`,
      'Write --doubt done, --doubt retry or --doubt fail.',
    );
  }
  if (value !== undefined && decision !== 'done') {
    throw usageError(
      `Cannot give a value to a call that is decided ${decision}`,
      'Write --value with --doubt done only.',
    );
  }
  return value === undefined ? { decision } : { decision, value: await readJson(value, 'the value', world) };
}

function pick(run: string, waits: readonly WaitRecord[], at: string | undefined): string {
  const open = waits.filter((wait) => wait.state === 'open' && isDoubt(wait) && (at === undefined || wait.path === at));
  const [only, another] = open;
  if (only === undefined) {
    throw notFoundError(
      `Run ${printable(run)} is in doubt about no call${at === undefined ? '' : ' there'}`,
      'Look at the run with telo-xmd show, or resume it without --doubt.',
    );
  }
  if (another !== undefined) {
    const places = open.map(({ path }) => printable(path)).join(', ');
    throw usageError(`Run ${printable(run)} is in doubt about several calls`, `Add --at with one of: ${places}.`);
  }
  return only.path;
}

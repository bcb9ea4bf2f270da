import { chooseJournal, journalAgain } from '../open-journal.ts';
import { JOURNAL_OPTION, JSON_OPTION, type Arguments, type Command, type CommandWorld } from '../command.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { openForCommand, type OpenKernel } from '../open-kernel.ts';
import { jsonDocument, printable, shellQuoted } from '../printable.ts';
import { readJson } from '../read-input.ts';
import { exitCodeOfRun, plainEnd, sayEnd, worstOf, type RunEnd } from '../settle.ts';
import { watchSignals, type SignalWatch } from '../signals.ts';
import { inputError } from '../usage.ts';
import { pickWorkflow, workflowNames } from '../workflows.ts';

/** Starts a workflow, or boots a manifest's targets. @see kernel-specs/command-line.md CL-02 */
export const run: Command = {
  name: 'run',
  usage: 'telo-xmd run <manifest> [--run-id ID] [--inputs JSON] [--workflow NAME] [--var N=V]...',
  summary: 'Starts a durable workflow of a manifest and follows it until it ends or parks; or boots the manifest.',
  options: {
    'run-id': { type: 'string', value: 'ID', help: 'start, or attach to, the run of this id' },
    inputs: { type: 'string', value: 'JSON', help: 'inputs of the workflow: JSON, @file or -' },
    workflow: { type: 'string', value: 'NAME', help: 'which workflow, where the manifest has several' },
    var: { type: 'string', multiple: true, value: 'NAME=VALUE', help: 'set a declared variable; may be repeated' },
    ...JOURNAL_OPTION,
    ...JSON_OPTION,
  },
  positionals: { least: 1, most: 1 },
  notes: [
    'With --run-id, --inputs or --workflow it starts the manifest’s only, or the named, workflow.',
    'Without them it boots the targets of the manifest.',
  ],
  run: async (args, world) => {
    const opened = await openForCommand(args.positionals[0] ?? '', args, world, { quiet: args.flag('json') });
    const signals = watchSignals(opened.kernel, world);
    try {
      const code = await follow(opened, { args, world, signals });
      return signals.interrupted ? EXIT.interrupted : code;
    } finally {
      await opened.kernel.close();
      signals.stop();
    }
  },
};

interface Following {
  readonly args: Arguments;
  readonly world: CommandWorld;
  readonly signals: SignalWatch;
}

async function follow(opened: OpenKernel, following: Following): Promise<ExitCode> {
  const { args } = following;
  const wanted = ['run-id', 'inputs', 'workflow'].some((option) => args.text(option) !== undefined);
  return wanted ? startOne(opened, following) : bootAll(opened, following);
}

async function startOne({ kernel }: OpenKernel, following: Following): Promise<ExitCode> {
  const { args, world } = following;
  const { instance } = pickWorkflow(kernel, args.text('workflow'));
  const stated = args.text('inputs');
  const inputs = stated === undefined ? {} : await readJson(stated, 'the inputs', world);
  if (typeof inputs !== 'object' || inputs === null || Array.isArray(inputs)) {
    throw inputError('Cannot start the workflow: its inputs are not an object', 'Give --inputs as a JSON object.');
  }
  const runId = args.text('run-id');
  const started = await instance.start({ inputs: { ...inputs }, ...(runId === undefined ? {} : { runId }) });
  const end = await started.done;
  return close([end], { ...following, journal: journalAgain(instance.journal.files[0] ?? '', world) });
}

async function bootAll({ kernel, ends }: OpenKernel, following: Following): Promise<ExitCode> {
  const { args, world } = following;
  await kernel.boot();
  await kernel.idle();
  const code = close([...ends.values()], { ...following, journal: chooseJournal(args, world).again });
  const { targets = [] } = kernel.module.root.fields;
  if (ends.size === 0 && Array.isArray(targets) && targets.length === 0 && !args.flag('json')) {
    sayNothingStarted(workflowNames(kernel), args.positionals[0] ?? '', world);
  }
  return worstOf([code, kernel.exitCode === 0 ? EXIT.completed : EXIT.failed]);
}

/** A manifest that only declares workflows is booted in vain: says which there are and how one is started. Effect. */
function sayNothingStarted(names: readonly string[], manifest: string, world: CommandWorld): void {
  world.stderr.write('Nothing was started: the manifest has no targets.\n');
  const [first] = names;
  if (first === undefined) return;
  const which = names.length === 1 ? '' : ` --workflow ${shellQuoted(printable(first))}`;
  const command = `npx telo-xmd run ${shellQuoted(printable(manifest))}${which} --inputs '{}'`;
  world.stderr.write(`Its workflows: ${printable(names.join(', '))}. Start one, with its inputs: ${command}\n`);
}

function close(ends: readonly RunEnd[], options: Following & { journal: string | undefined }): ExitCode {
  const { args, world, signals, journal } = options;
  if (args.flag('json')) {
    world.stdout.write(
      jsonDocument({ ok: ends.every((end) => exitCodeOfRun(end) === EXIT.completed), runs: ends.map(plainEnd) }),
    );
  } else {
    for (const end of ends) sayEnd(end, { world, journal, interrupted: signals.interrupted });
  }
  return worstOf(ends.map(exitCodeOfRun));
}

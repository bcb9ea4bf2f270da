import { readFileSync } from 'node:fs';
import { readArguments } from './arguments.ts';
import type { Command, CommandWorld } from './command.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import { reportError } from './report-error.ts';
import { packageFile } from '../package-root.ts';
import { usageError } from './usage.ts';

/** Commands in the order the help lists them; each is loaded when it is run. */
const COMMANDS: ReadonlyMap<string, { readonly summary: string; load(): Promise<Command> }> = new Map([
  [
    'run',
    { summary: 'start a workflow, or boot a manifest', load: async () => (await import('./commands/run.ts')).run },
  ],
  [
    'check',
    { summary: 'check manifests without running them', load: async () => (await import('./commands/check.ts')).check },
  ],
  [
    'preflight',
    { summary: 'say what a fragment would do', load: async () => (await import('./commands/preflight.ts')).preflight },
  ],
  [
    'syntax',
    { summary: 'say what a fragment may use', load: async () => (await import('./commands/syntax.ts')).syntax },
  ],
  ['runs', { summary: 'list the runs of a journal', load: async () => (await import('./commands/runs.ts')).runs }],
  ['show', { summary: 'tell the story of one run', load: async () => (await import('./commands/show.ts')).show }],
  ['answer', { summary: 'answer a wait of a run', load: async () => (await import('./commands/answer.ts')).answer }],
  [
    'resume',
    { summary: 'continue a run, or all that are due', load: async () => (await import('./commands/resume.ts')).resume },
  ],
  [
    'schema',
    { summary: 'print a JSON Schema for editors', load: async () => (await import('./commands/schema.ts')).schema },
  ],
  [
    'export',
    { summary: 'write a whole run as a file', load: async () => (await import('./commands/export.ts')).exportCommand },
  ],
  [
    'import',
    {
      summary: 'take such a run into a journal',
      load: async () => (await import('./commands/import.ts')).importCommand,
    },
  ],
  ['cancel', { summary: 'settle a run as cancelled', load: async () => (await import('./commands/cancel.ts')).cancel }],
]);

/** Runs one command line. Effect. Answers the exit code; never throws for anything a person typed. */
export async function main(argv: readonly string[], world: CommandWorld = processWorld()): Promise<ExitCode> {
  const json = argv.includes('--json');
  try {
    return await dispatch(argv, world);
  } catch (error) {
    return reportError(error, world, { json });
  }
}

async function dispatch(argv: readonly string[], world: CommandWorld): Promise<ExitCode> {
  const [name, ...rest] = argv;
  if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
    const asked = name === undefined ? undefined : rest[0];
    if (asked === undefined) {
      (name === undefined ? world.stderr : world.stdout).write(overview());
      return name === undefined ? EXIT.usage : EXIT.completed;
    }
    world.stdout.write(helpOf(await find(asked)));
    return EXIT.completed;
  }
  if (name === '--version' || name === '-v') {
    const { version } = JSON.parse(readFileSync(packageFile('package.json'), 'utf8'));
    world.stdout.write(`${String(version)}\n`);
    return EXIT.completed;
  }
  const command = await find(name);
  const args = readArguments(command, rest);
  if (args === undefined) {
    world.stdout.write(helpOf(command));
    return EXIT.completed;
  }
  return command.run(args, world);
}

async function find(name: string): Promise<Command> {
  const entry = COMMANDS.get(name);
  if (entry === undefined) {
    const { suggestion } = await import('../check/findings.ts');
    const hint = `${suggestion(name, [...COMMANDS.keys()]) ?? ''} Run npx telo-xmd --help for what each does.`;
    throw usageError(`Cannot run "${name}": no such command`, hint.trimStart());
  }
  return entry.load();
}

function overview(): string {
  const rows = [...COMMANDS].map(([name, { summary }]) => `  ${name.padEnd(10)} ${summary}`);
  return [
    'telo-xmd runs workflows whose steps evaluate model-written fragments, durably.',
    '',
    'Usage: telo-xmd <command> [options]',
    '',
    ...rows,
    '',
    'telo-xmd <command> --help tells the options of a command.',
    'Exit codes: 0 completed, 1 failed, 2 suspended, 3 refused, 64 usage, 65 invalid input, 66 not found, 75 busy, 130 interrupted.',
    '',
  ].join('\n');
}

function helpOf(command: Command): string {
  const rows = Object.entries(command.options).map(([name, { value, help, short }]) => {
    const named = short === undefined ? `--${name}` : `-${short}, --${name}`;
    const spelled = value === undefined ? named : `${named} ${value}`;
    return `  ${spelled.padEnd(22)} ${help}`;
  });
  const notes = command.notes === undefined ? [] : ['', ...command.notes];
  return [command.summary, '', `Usage: ${command.usage}`, '', ...rows, ...notes, ''].join('\n');
}

function processWorld(): CommandWorld {
  return {
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    env: process.env,
    cwd: process.cwd(),
    now: () => Date.now(),
  };
}

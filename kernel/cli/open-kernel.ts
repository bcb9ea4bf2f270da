import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { KernelEvent, KernelListener } from '../events.ts';
import type { Kernel, KernelOptions } from '../runtime/kernel.ts';
import type { Arguments, CommandWorld } from './command.ts';
import { paint } from './paint.ts';
import { progressPrinter } from './progress.ts';
import type { RunEnd } from './settle.ts';
import { notFoundError, usageError } from './usage.ts';

/** An open kernel with the ends of the runs it executed, newest last for each run. */
export interface OpenKernel {
  readonly kernel: Kernel;
  readonly ends: ReadonlyMap<string, RunEnd>;
}

/** Opens the kernel on a manifest for one command. Effect. @throws InvokeError ERR_CLI_NOT_FOUND, ERR_MANIFEST_VALIDATION_FAILED */
export async function openForCommand(
  manifest: string,
  args: Arguments,
  world: CommandWorld,
  options: { quiet: boolean; only?: NonNullable<KernelOptions['only']> },
): Promise<OpenKernel> {
  const file = resolve(world.cwd, manifest);
  if (!existsSync(file)) {
    throw notFoundError(
      `Cannot open manifest "${manifest}": there is no such file`,
      'Name a manifest file or its folder.',
    );
  }
  const { openKernel } = await import('../runtime/kernel.ts');
  const ends = new Map<string, RunEnd>();
  const progress: KernelListener = options.quiet
    ? () => undefined
    : progressPrinter(world.stderr, paint(world.stderr, world.env));
  const onEvent = (event: KernelEvent): void => {
    progress(event);
    if (event.type === 'run.stopped') ends.set(event.run, event);
  };
  const journal = args.text('journal');
  const kernel = await openKernel({
    manifest: file,
    env: journal === undefined ? world.env : { ...world.env, TELO_XMD_JOURNAL: resolve(world.cwd, journal) },
    variables: readVariables(args.texts('var')),
    stdin: world.stdin,
    // Standard output belongs to the one document that was asked for.
    stdout: options.quiet ? world.stderr : world.stdout,
    stderr: world.stderr,
    onEvent,
    ...(options.only === undefined ? {} : { only: options.only }),
  });
  return { kernel, ends };
}

function readVariables(stated: readonly string[]): Record<string, string> {
  const variables: Record<string, string> = Object.create(null);
  for (const one of stated) {
    const cut = one.indexOf('=');
    if (cut < 1) throw usageError(`Cannot read --var "${one}": it has no name and value`, 'Write --var name=value.');
    variables[one.slice(0, cut)] = one.slice(cut + 1);
  }
  return variables;
}

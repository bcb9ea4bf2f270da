import { JSON_OPTION, type Command } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import { paint } from '../paint.ts';
import { printableLines } from '../printable.ts';

/** Checks manifests. @see kernel-specs/command-line.md CL-03 */
export const check: Command = {
  name: 'check',
  usage: 'telo-xmd check <path>... [--json]',
  summary: 'Reads manifests whole and says, with file, line and column, what is wrong with them. Runs nothing.',
  options: JSON_OPTION,
  positionals: { least: 1, most: Number.MAX_SAFE_INTEGER },
  run: async (args, world) => {
    const { checkManifests } = await import('../../check/check-manifests.ts');
    const { diagnosticsJson, formatDiagnostic } = await import('../../check/format.ts');
    const diagnostics = await checkManifests(args.positionals, { cwd: world.cwd });
    const errors = diagnostics.filter(({ severity }) => severity === 'error');
    if (args.flag('json')) {
      world.stdout.write(`${JSON.stringify(diagnosticsJson(diagnostics, { cwd: world.cwd }))}\n`);
    } else {
      for (const diagnostic of diagnostics) {
        world.stdout.write(`${printableLines(formatDiagnostic(diagnostic, { cwd: world.cwd }))}\n`);
      }
      if (diagnostics.length === 0)
        world.stdout.write(`${paint(world.stdout, world.env).green('✓')}  No issues found\n`);
    }
    return errors.length === 0 ? EXIT.completed : EXIT.invalidInput;
  },
};

import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Diagnostic } from '../../manifest/model.ts';
import { JSON_OPTION, type Command } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import { paint } from '../paint.ts';
import { jsonDocument, printable, printableLines } from '../printable.ts';
import { notFoundError, usageError } from '../usage.ts';

function isError({ severity }: Diagnostic): boolean {
  return severity === 'error';
}

/** Checks manifests. @see kernel-specs/command-line.md CL-03 */
export const check: Command = {
  name: 'check',
  usage: 'telo-xmd check <path>... [-o text|json|github]',
  summary: 'Reads manifests whole and says, with file, line and column, what is wrong with them. Runs nothing.',
  options: {
    ...JSON_OPTION,
    output: { type: 'string', short: 'o', value: 'FORMAT', help: 'text, json (as --json), or github for annotations' },
  },
  positionals: { least: 1, most: Number.MAX_SAFE_INTEGER },
  run: async (args, world) => {
    const format = args.flag('json') ? 'json' : (args.text('output') ?? 'text');
    if (!['text', 'json', 'github'].includes(format)) {
      throw usageError(`Cannot print findings as "${format}"`, 'Write -o text, -o json or -o github.');
    }
    for (const path of args.positionals) {
      if (!existsSync(resolve(world.cwd, path))) {
        throw notFoundError(`Cannot check "${path}": there is no such file`, 'Name manifest files or their folders.');
      }
    }
    const { checkManifests } = await import('../../check/check-manifests.ts');
    const { diagnosticsJson, formatDiagnostic, githubAnnotation } = await import('../../check/format.ts');
    const found = await checkManifests(args.positionals, { cwd: world.cwd });
    const { checkTexts } = await import('../check-texts.ts');
    const texts = found.some(isError)
      ? []
      : await Promise.all(args.positionals.map((manifest) => checkTexts(manifest, world)));
    const diagnostics = [...found, ...texts.flat()];
    const errors = diagnostics.filter(isError);
    if (format === 'json') {
      world.stdout.write(jsonDocument(diagnosticsJson(diagnostics, { cwd: world.cwd })));
    } else if (format === 'github') {
      for (const diagnostic of diagnostics) {
        world.stdout.write(`${printable(githubAnnotation(diagnostic, { cwd: world.cwd }))}\n`);
      }
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

import { isInvokeError } from '@telorun/sdk';
import type { Diagnostic } from '../manifest/model.ts';
import type { CommandWorld } from './command.ts';
import { exitCodeOf, type ExitCode } from './exit-codes.ts';
import { jsonDocument, printable, printableLines } from './printable.ts';
import { paint } from './paint.ts';

export interface ErrorFacts {
  readonly code: string;
  readonly message: string;
  readonly where?: string;
  readonly hint?: string;
  readonly diagnostics: readonly Diagnostic[];
}

/** Code, message, place and way out of anything thrown. Pure. */
export function factsOf(error: unknown): ErrorFacts {
  const code = memberText(error, 'code') ?? 'INTERNAL_ERROR';
  const message = error instanceof Error ? error.message : String(error);
  const data = isInvokeError(error) ? error.data : undefined;
  const hint = memberText(data, 'hint');
  const path = memberText(data, 'path') ?? memberText(data, 'effect');
  const run = memberText(data, 'run');
  const file = memberText(data, 'file');
  const where = [
    run === undefined ? undefined : `run ${run}`,
    path === undefined ? undefined : `at ${path}`,
    file === undefined ? undefined : `file ${file}`,
  ]
    .filter((part) => part !== undefined)
    .join(' ');
  return {
    code,
    message,
    ...(where === '' ? {} : { where }),
    ...(hint === undefined ? {} : { hint }),
    diagnostics: diagnosticsOf(error),
  };
}

/** Prints an error for the person who must act and answers the exit code. Effect. Never prints a stack. */
export async function reportError(error: unknown, world: CommandWorld, options: { json: boolean }): Promise<ExitCode> {
  const facts = factsOf(error);
  if (options.json) {
    const { diagnostics, ...rest } = facts;
    world.stdout.write(
      jsonDocument({ ok: false, error: { ...rest, ...(diagnostics.length === 0 ? {} : { diagnostics }) } }),
    );
    return exitCodeOf(facts.code);
  }
  if (facts.diagnostics.length > 0) {
    const { formatDiagnostic } = await import('../check/format.ts');
    for (const diagnostic of facts.diagnostics) {
      world.stderr.write(`${printableLines(formatDiagnostic(diagnostic, { cwd: world.cwd }))}\n`);
    }
    return exitCodeOf(facts.code);
  }
  const { red, dim } = paint(world.stderr, world.env);
  const place = facts.where === undefined ? '' : `  ${dim(printable(facts.where))}`;
  world.stderr.write(`${red('error')}  ${printableLines(facts.message)}  ${dim(printable(facts.code))}${place}\n`);
  if (facts.hint !== undefined) world.stderr.write(`       ${printable(facts.hint)}\n`);
  return exitCodeOf(facts.code);
}

function memberText(value: unknown, member: string): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const found: unknown = Reflect.get(value, member);
  return typeof found === 'string' && found !== '' ? found : undefined;
}

function diagnosticsOf(error: unknown): readonly Diagnostic[] {
  if (typeof error !== 'object' || error === null) return [];
  const found: unknown = Reflect.get(error, 'diagnostics');
  return Array.isArray(found) ? found : [];
}

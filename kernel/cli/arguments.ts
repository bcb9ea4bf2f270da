import { parseArgs } from 'node:util';
import type { Arguments, Command } from './command.ts';
import { nearOf } from '../check/findings.ts';
import { usageError } from './usage.ts';

const HELP = { help: { type: 'boolean' as const, short: 'h' } };

/** Reads the arguments of one command. Pure. Answers undefined when help was asked for. @throws InvokeError ERR_CLI_USAGE */
export function readArguments(command: Command, argv: readonly string[]): Arguments | undefined {
  const { values, positionals } = parse(command, argv);
  if (values['help'] === true) return undefined;
  const { least, most } = command.positionals;
  if (positionals.length < least || positionals.length > most) {
    const given = positionals.length === 1 ? '1 is given' : `${positionals.length} are given`;
    throw usageError(
      `Cannot run "${command.name}": it takes ${countOf(command.positionals)}, and ${given}`,
      `Write: ${command.usage}`,
    );
  }
  return {
    positionals,
    text: (option) => {
      const value = values[option];
      return typeof value === 'string' ? value : undefined;
    },
    texts: (option) => {
      const value = values[option];
      return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
    },
    flag: (option) => values[option] === true,
  };
}

function countOf({ least, most }: Command['positionals']): string {
  if (most === Number.MAX_SAFE_INTEGER) return `${least} argument or more`;
  const count = least === most ? String(most) : least === 0 ? `at most ${most}` : `${least} to ${most}`;
  return most === 0 ? 'no argument' : `${count} ${most === 1 ? 'argument' : 'arguments'}`;
}

function parse(command: Command, argv: readonly string[]): { values: Record<string, unknown>; positionals: string[] } {
  const options = Object.fromEntries(
    Object.entries(command.options).map(([name, { type, multiple, short }]) => [
      name,
      { type, multiple: multiple === true, ...(short === undefined ? {} : { short }) },
    ]),
  );
  try {
    return parseArgs({ args: [...argv], options: { ...options, ...HELP }, allowPositionals: true, strict: true });
  } catch (error) {
    // parseArgs throws for nothing but an argument it does not know; its first sentence names it.
    const [said = ''] = error instanceof Error ? error.message.split(/\. |\n/) : [];
    const [, unknown = ''] = /^Unknown option '--(.*)'$/.exec(said) ?? [];
    const near = unknown === '' ? undefined : nearOf(unknown, Object.keys(options))?.replace("'", "'--");
    const hint = near === undefined ? `Write: ${command.usage}` : `${near} Write: ${command.usage}`;
    throw usageError(`Cannot read the arguments of "${command.name}": ${said}`, hint);
  }
}

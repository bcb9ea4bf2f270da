import type { Readable, Writable } from 'node:stream';
import type { ExitCode } from './exit-codes.ts';

/** The world a command runs in; tests give their own. */
export interface CommandWorld {
  readonly stdin: Readable;
  readonly stdout: Writable & { readonly isTTY?: boolean };
  readonly stderr: Writable & { readonly isTTY?: boolean };
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  now(): number;
}

export interface OptionSpec {
  readonly type: 'string' | 'boolean';
  readonly multiple?: boolean;
  /** One letter that stands for the option. */
  readonly short?: string;
  /** Placeholder in the help text: `FILE`. */
  readonly value?: string;
  readonly help: string;
}

export interface Arguments {
  readonly positionals: readonly string[];
  text(option: string): string | undefined;
  texts(option: string): readonly string[];
  flag(option: string): boolean;
}

/** One command of `telo-xmd`: one file in commands/. */
export interface Command {
  readonly name: string;
  readonly usage: string;
  readonly summary: string;
  /** Lines below the options in `telo-xmd <command> --help`. */
  readonly notes?: readonly string[];
  readonly options: Readonly<Record<string, OptionSpec>>;
  readonly positionals: { readonly least: number; readonly most: number };
  run(args: Arguments, world: CommandWorld): Promise<ExitCode>;
}

export const JOURNAL_OPTION: Readonly<Record<string, OptionSpec>> = {
  journal: {
    type: 'string',
    value: 'FILE',
    help: 'journal file, or folder of journal files (default .telo/runs.db; variable TELO_XMD_JOURNAL)',
  },
};

export const JSON_OPTION: Readonly<Record<string, OptionSpec>> = {
  json: { type: 'boolean', help: 'print one JSON document on standard output' },
};

import { pathToFileURL } from 'node:url';
import { statSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import type { FencedJournal } from '@telorun/sdk/journal';
import type { Arguments, CommandWorld } from './command.ts';
import { packageFile } from '../package-root.ts';

const DEFAULT_FILE = '.telo/runs.db';

/** The journal that the options and the environment name: absolute file (a folder holds journal files of Telo's), and how to name it again where that is needed. */
export interface JournalChoice {
  readonly file: string;
  /** What `--journal` must say so that the next command finds it; undefined when the default does. */
  readonly again: string | undefined;
  /** Key of a journal whose records are sealed with one. */
  readonly key: string | undefined;
  /** Whether a journal that is not there is to be one of files: its name was said to be a folder's. */
  readonly folder: boolean;
}

export function chooseJournal(args: Arguments, world: CommandWorld): JournalChoice {
  const named = args.text('journal') ?? world.env['TELO_XMD_JOURNAL'] ?? DEFAULT_FILE;
  const file = resolve(world.cwd, named);
  const key = world.env['TELO_XMD_JOURNAL_KEY'] || undefined;
  return { file, again: journalAgain(file, world), key, folder: named.endsWith('/') };
}

/** How `file` is named on a command line run from here; undefined when nothing needs to be said. Pure. */
export function journalAgain(file: string, world: CommandWorld): string | undefined {
  const found = resolve(world.cwd, world.env['TELO_XMD_JOURNAL'] ?? DEFAULT_FILE);
  if (file === found) return undefined;
  const short = relative(world.cwd, file);
  return short.startsWith('..') ? file : short;
}

/**
 * Opens the journal through the same bundle that manifests load. Effect.
 *
 * @throws InvokeError ERR_DURABLE_JOURNAL_NOT_FOUND when there is no such file, ERR_DURABLE_JOURNAL_* when it cannot be used
 */
async function openChosenJournal(choice: OpenedChoice): Promise<FencedJournal> {
  const { file, key, create = false } = choice;
  const found = statSync(file, { throwIfNoEntry: false });
  if (found === undefined ? choice.folder : found.isDirectory()) {
    const bundle = packageFile('dist', 'controllers', 'journal-file.mjs');
    const bundled: FolderBundle = await import(pathToFileURL(bundle).href);
    return bundled.openJournal({ directory: file, create });
  }
  const bundle = packageFile('manifests', 'durable-journal-sqlite', 'dist', 'journal-sqlite.mjs');
  const bundled: JournalBundle = await import(pathToFileURL(bundle).href);
  return bundled.openJournal({ file, create, ...(key === undefined ? {} : { key }) });
}

/** A journal that must not be made unless `create` says so. */
type OpenedChoice = JournalChoice & { readonly create?: boolean };

interface JournalBundle {
  openJournal(options: { file: string; create: boolean; key?: string }): FencedJournal | Promise<FencedJournal>;
}

interface FolderBundle {
  openJournal(options: { directory: string; create: boolean }): FencedJournal;
}

/** Opens the chosen journal for the time of `work`. Effect. */
export async function withJournal<T>(choice: OpenedChoice, work: (journal: FencedJournal) => Promise<T>): Promise<T> {
  const journal = await openChosenJournal(choice);
  try {
    return await work(journal);
  } finally {
    journal.close();
  }
}

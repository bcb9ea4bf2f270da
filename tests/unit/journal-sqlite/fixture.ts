import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isInvokeError } from '@telorun/sdk';
import { afterEach } from 'vitest';
import { openJournal } from '../../../controllers/journal-sqlite/index.ts';

export type OpenedJournal = Awaited<ReturnType<typeof openJournal>>;

const cleanings: (() => void)[] = [];

afterEach(() => {
  for (const clean of cleanings.splice(0).toReversed()) clean();
});

/** A folder of this test, removed after it. */
export function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'journal-'));
  cleanings.push(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Opens a journal that is closed after the test. */
export async function open(
  file: string = join(makeFolder(), 'runs.db'),
  options: Omit<Parameters<typeof openJournal>[0], 'file'> = {},
): Promise<OpenedJournal> {
  const journal = await openJournal({ file, ...options });
  cleanings.push(() => journal.close());
  return journal;
}

/** A journal with one run that is claimed by `h`. */
export async function claimed(run = 'r', options: { readonly file?: string; readonly now?: () => number } = {}) {
  const { file, ...rest } = options;
  const journal = await open(file, rest);
  await journal.admitRun(run);
  await journal.claimRun(run, 'h', 60_000);
  return journal;
}

/** The code and data that `work` fails with; fails the test when it does not. */
export async function failure(work: () => unknown): Promise<{ readonly code: string; readonly data: unknown }> {
  try {
    await work();
  } catch (error) {
    if (isInvokeError(error)) return { code: error.code, data: error.data };
    throw error;
  }
  throw new Error('nothing failed');
}

export async function codeOf(work: () => unknown): Promise<string> {
  return (await failure(work)).code;
}

export function fileOf(journal: OpenedJournal): string {
  const [file] = journal.files;
  if (file === undefined) throw new Error('a journal without a file');
  return file;
}

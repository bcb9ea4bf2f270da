import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isInvokeError } from '@telorun/sdk';
import { afterEach } from 'vitest';
import { openJournal } from '../../../controllers/journal-file/index.ts';

export type OpenedJournal = ReturnType<typeof openJournal>;

const cleanings: (() => void)[] = [];

afterEach(() => {
  for (const clean of cleanings.splice(0).toReversed()) clean();
});

/** A folder of this test for a journal that is not made yet; gone after the test. */
export function makeDirectory(): string {
  const folder = mkdtempSync(join(tmpdir(), 'journal-file-'));
  cleanings.push(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'runs');
}

/** Opens a journal that is closed after the test. */
export function open(
  directory: string = makeDirectory(),
  options: Omit<Parameters<typeof openJournal>[0], 'directory'> = {},
): OpenedJournal {
  const journal = openJournal({ directory, ...options });
  cleanings.push(() => journal.close());
  return journal;
}

/** A journal with one run that is claimed by `h`. */
export async function claimed(run = 'r', options: { directory?: string; now?: () => number } = {}) {
  const { directory, ...rest } = options;
  const journal = open(directory, rest);
  await journal.admitRun(run);
  await journal.claimRun(run, 'h', 60_000);
  return journal;
}

/** Writes a file as a Telo kernel leaves it. */
export function plant(directory: string, run: string, lines: readonly (string | object)[]): string {
  const file = join(directory, `${encodeURIComponent(run)}.ndjson`);
  writeFileSync(file, lines.map((line) => (typeof line === 'string' ? line : `${JSON.stringify(line)}\n`)).join(''));
  return file;
}

export const header = (run = 'r') => ({ type: 'run', run, status: 'running' });
export const entry = (path: string, value?: unknown) => ({ type: 'entry', entry: { path, kind: 'step', value } });

export function directoryOf(journal: OpenedJournal): string {
  const [directory] = journal.files;
  if (directory === undefined) throw new Error('a journal without a folder');
  return directory;
}

export function textOf(journal: OpenedJournal, run = 'r'): string {
  return readFileSync(join(directoryOf(journal), `${encodeURIComponent(run)}.ndjson`), 'utf8');
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

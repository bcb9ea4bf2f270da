import { readFileSync, readdirSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import { fitsWildcard } from './wildcard.ts';

const INCLUDE_LIMIT = 32 * 1024 * 1024;

/** Text of a file, which must be UTF-8. Effect: reads. @throws Error saying why it cannot be read as text. */
export function readText(file: string): string {
  const stats = statSync(file);
  // A pipe would be waited for, a device read without end.
  if (!stats.isFile()) throw new Error('it is not a regular file');
  if (stats.size > INCLUDE_LIMIT) throw new Error('it is larger than 32 MiB');
  const bytes = readFileSync(file);
  return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
}

/**
 * The absolute path of an `!include-text` file, which must lie in the module's folder, links followed.
 * Effect: looks at the file system. @throws Error saying why it is refused.
 */
export function includedFile(directory: string, relative: string): string {
  if (/^[a-z][a-z0-9+.-]*:/i.test(relative))
    throw new Error(`Cannot include '${relative}': a URL is not a file of the module`);
  if (path.isAbsolute(relative)) throw new Error(`Cannot include '${relative}': write it relative to the module`);
  const file = path.resolve(directory, relative);
  const stats = statSync(file, { throwIfNoEntry: false });
  if (stats === undefined) throw new Error(`Cannot include '${relative}': there is no such file`);
  if (!stats.isFile()) throw new Error(`Cannot include '${relative}': it is not a file`);
  if (!inside(realpathSync(directory), realpathSync(file))) {
    throw new Error(`Cannot include '${relative}': it lies outside the module's folder`);
  }
  if (stats.size > INCLUDE_LIMIT) throw new Error(`Cannot include '${relative}': it is larger than 32 MiB`);
  return file;
}

/** Files below `directory` that match a glob of `*`, `?` and `**`, sorted. Effect: lists each folder at most once a segment. */
export function matchingFiles(directory: string, pattern: string): string[] {
  const segments = path.posix.normalize(pattern).split('/');
  if (path.isAbsolute(pattern) || segments.includes('..')) return [];
  const search: Search = { segments, found: new Set(), seen: new Set() };
  walk(directory, 0, search);
  return [...search.found].toSorted();
}

interface Search {
  readonly segments: readonly string[];
  readonly found: Set<string>;
  /** Folders that were searched, with the segment from which. */
  readonly seen: Set<string>;
}

function walk(folder: string, from: number, search: Search): void {
  const head = search.segments[from];
  const asked = `${from} ${folder}`;
  if (head === undefined || search.seen.has(asked)) return;
  search.seen.add(asked);
  const last = from === search.segments.length - 1;
  if (head === '**') walk(folder, from + 1, search);
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const full = path.join(folder, entry.name);
    if (entry.isDirectory()) {
      if (head !== '**' && !last && fitsWildcard(head, entry.name)) walk(full, from + 1, search);
      if (head === '**' && !entry.name.startsWith('.') && entry.name !== 'node_modules') walk(full, from, search);
    } else if (last && head !== '**' && fitsWildcard(head, entry.name)) search.found.add(full);
  }
}

function inside(folder: string, file: string): boolean {
  const relative = path.relative(folder, file);
  return relative !== '' && !relative.startsWith('..') && !path.isAbsolute(relative);
}

import type { Environment } from '@marcbachmann/cel-js';
import { assertLength, assertSize, searchBudget, spend } from '../budget.ts';
import { groupText, pattern, replaceAll } from '../pattern/pattern.ts';
import type { Pattern } from '../pattern/pattern.ts';
import { define } from './define.ts';

/** What compiling a pattern that was not met before costs. */
const COMPILE_STEPS = 5_000;

/** Texts: case, trimming, replacing, splitting, slices, and the functions that take a pattern. */
export function registerStrings(environment: Environment): void {
  define(environment, {
    'lower(string): string': (text: string) => text.toLowerCase(),
    'upper(string): string': (text: string) => text.toUpperCase(),
    'trim(string): string': (text: string) => text.trim(),
    'replace(string, string, string): string': replaced,
    'string.replace(string, string): string': replaced,
    'split(string, string): list<string>': split,
    'trimPrefix(string, string): string': (text: string, prefix: string) =>
      text.startsWith(prefix) ? text.slice(prefix.length) : text,
    'trimSuffix(string, string): string': (text: string, suffix: string) =>
      suffix !== '' && text.endsWith(suffix) ? text.slice(0, -suffix.length) : text,
    'slice(string, int, int): string': (text: string, from: bigint, to: bigint) => text.slice(Number(from), Number(to)),
    'slice(bytes, int, int): bytes': (bytes: Uint8Array, from: bigint, to: bigint) =>
      bytes.slice(Number(from), Number(to)),
    'slice(list, int, int): list<dyn>': (list: unknown[], from: bigint, to: bigint) =>
      list.slice(Number(from), Number(to)),
    'string.guardedMatches(string): bool': (text: string, source: string) =>
      compiled(source).find(text, 0, searchBudget()) !== undefined,
    'regexReplace(string, string, string): string': regexReplace,
    'regexReplace(string, string, string, string): string': regexReplace,
    'regexExtract(string, string): dyn': regexExtract,
    'regexExtract(string, string, string): dyn': regexExtract,
    'regexExtractAll(string, string): list<string>': regexExtractAll,
    'regexExtractAll(string, string, string): list<string>': regexExtractAll,
    'regexGroups(string, string): map<string, dyn>': regexGroups,
    'regexGroups(string, string, string): map<string, dyn>': regexGroups,
  });
}

function compiled(source: string, flags = ''): Pattern {
  return pattern(source, flags, () => spend(COMPILE_STEPS));
}

/** How often `part` stands in `text`, as replacing and splitting count it. */
function occurrences(text: string, part: string): number {
  if (part === '') return text.length;
  let count = 0;
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + part.length)) count += 1;
  return count;
}

function replaced(text: string, from: string, to: string): string {
  if (to.length > from.length) assertSize(text.length + (occurrences(text, from) + 1) * (to.length - from.length));
  return text.replaceAll(from, () => to);
}

function split(text: string, separator: string): string[] {
  assertLength(occurrences(text, separator));
  return text.split(separator);
}

function regexReplace(text: string, source: string, replacement: string, flags = ''): string {
  return replaceAll(text, compiled(source, flags), replacement, searchBudget(), assertSize);
}

/** The first group of the first match, or the whole match when there is no group; null without a match. */
function regexExtract(text: string, source: string, flags = ''): string | null {
  const search = compiled(source, flags);
  const found = search.find(text, 0, searchBudget());
  return found === undefined ? null : (groupText(text, found, search.groups > 0 ? 1 : 0) ?? '');
}

function regexExtractAll(text: string, source: string, flags = ''): string[] {
  const search = compiled(source, flags);
  const group = search.groups > 0 ? 1 : 0;
  const parts: string[] = [];
  for (const found of search.all(text, searchBudget())) {
    parts.push(groupText(text, found, group) ?? '');
    spend(1);
  }
  return parts;
}

/** Named groups of the first match; null for one that took no part. */
function regexGroups(text: string, source: string, flags = ''): Record<string, string | null> {
  const search = compiled(source, flags);
  const found = search.find(text, 0, searchBudget());
  if (found === undefined) return {};
  return Object.fromEntries([...search.names].map(([index, name]) => [name, groupText(text, found, index) ?? null]));
}

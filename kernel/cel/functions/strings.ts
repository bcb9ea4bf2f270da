import type { Environment } from '@marcbachmann/cel-js';
import { define } from './define.ts';
import { groupText, pattern, replaceAll } from '../pattern/pattern.ts';

/** Texts: case, trimming, replacing, splitting, slices, and the functions that take a pattern. */
export function registerStrings(environment: Environment): void {
  define(environment, {
    'lower(string): string': (text: string) => text.toLowerCase(),
    'upper(string): string': (text: string) => text.toUpperCase(),
    'trim(string): string': (text: string) => text.trim(),
    'replace(string, string, string): string': (text: string, from: string, to: string) =>
      text.replaceAll(from, () => to),
    'string.replace(string, string): string': (text: string, from: string, to: string) =>
      text.replaceAll(from, () => to),
    'split(string, string): list<string>': (text: string, separator: string) => text.split(separator),
    'trimPrefix(string, string): string': (text: string, prefix: string) =>
      text.startsWith(prefix) ? text.slice(prefix.length) : text,
    'trimSuffix(string, string): string': (text: string, suffix: string) =>
      suffix !== '' && text.endsWith(suffix) ? text.slice(0, -suffix.length) : text,
    'slice(string, int, int): string': (text: string, from: bigint, to: bigint) => text.slice(Number(from), Number(to)),
    'slice(bytes, int, int): bytes': (bytes: Uint8Array, from: bigint, to: bigint) =>
      bytes.slice(Number(from), Number(to)),
    'slice(list, int, int): list<dyn>': (list: unknown[], from: bigint, to: bigint) =>
      list.slice(Number(from), Number(to)),
    'string.guardedMatches(string): bool': (text: string, source: string) => pattern(source).find(text) !== undefined,
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

function regexReplace(text: string, source: string, replacement: string, flags = ''): string {
  return replaceAll(text, pattern(source, flags), replacement);
}

/** The first group of the first match, or the whole match when there is no group; null without a match. */
function regexExtract(text: string, source: string, flags = ''): string | null {
  const compiled = pattern(source, flags);
  const found = compiled.find(text);
  return found === undefined ? null : (groupText(text, found, compiled.groups > 0 ? 1 : 0) ?? '');
}

function regexExtractAll(text: string, source: string, flags = ''): string[] {
  const compiled = pattern(source, flags);
  return Array.from(compiled.all(text), (found) => groupText(text, found, compiled.groups > 0 ? 1 : 0) ?? '');
}

/** Named groups of the first match; null for one that took no part. */
function regexGroups(text: string, source: string, flags = ''): Record<string, string | null> {
  const compiled = pattern(source, flags);
  const found = compiled.find(text);
  if (found === undefined) return {};
  return Object.fromEntries([...compiled.names].map(([index, name]) => [name, groupText(text, found, index) ?? null]));
}

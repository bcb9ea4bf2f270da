import type { Environment } from '@marcbachmann/cel-js';
import { define } from './define.ts';
import { boundedText, linearPattern } from '../pattern.ts';

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
    'string.guardedMatches(string): bool': (text: string, pattern: string) =>
      linearPattern(pattern, '').test(boundedText(text)),
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

function regexReplace(text: string, pattern: string, replacement: string, flags = ''): string {
  return boundedText(text).replace(linearPattern(pattern, `${flags}g`), replacement);
}

/** The first group of the first match, or the whole match when there is no group; null without a match. */
function regexExtract(text: string, pattern: string, flags = ''): string | null {
  const found = linearPattern(pattern, flags).exec(boundedText(text));
  return found === null ? null : (found[1] ?? found[0]);
}

function regexExtractAll(text: string, pattern: string, flags = ''): string[] {
  return [...boundedText(text).matchAll(linearPattern(pattern, `${flags}g`))].map((found) => found[1] ?? found[0]);
}

function regexGroups(text: string, pattern: string, flags = ''): Record<string, string | null> {
  const groups = linearPattern(pattern, flags).exec(boundedText(text))?.groups ?? {};
  return Object.fromEntries(Object.entries(groups).map(([name, value]) => [name, value ?? null]));
}

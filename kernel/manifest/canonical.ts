import { Expression, Reference } from './tagged.ts';

/**
 * JSON with sorted keys in which tags are spelled out: `!cel x` is `{"!cel":"x"}`. A key of the document that starts
 * with `!` gets one more, so that no document looks like another. Pure.
 */
export function canonicalJson(value: unknown): string {
  if (value instanceof Expression) return JSON.stringify({ [`!${value.form}`]: value.source });
  if (value instanceof Reference) return JSON.stringify({ '!ref': value.text });
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value === 'number' && !Number.isFinite(value)) return JSON.stringify({ '!number': String(value) });
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const members = Object.entries(value)
    .map(([key, member]): [string, unknown] => [key.startsWith('!') ? `!${key}` : key, member])
    .toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${canonicalJson(member)}`).join(',')}}`;
}

import { caretLines, type TextPlace } from './caret.ts';
import type { Paint } from './paint.ts';
import { paintDiffs } from './paint-diff.ts';
import { printable, printableLines } from './printable.ts';

/** An answer of `Xmd.Preflight`, as far as a person is told of it. */
export type ReadPreflight =
  | { readonly admitted: true; readonly rendering: string; readonly digest: string }
  | { readonly admitted: false; readonly kind: 'refusal'; readonly class: string; readonly place: TextPlace }
  | { readonly admitted: false; readonly kind: 'secret'; readonly rule: string; readonly where: TextPlace | undefined };

/** Reads an answer; undefined for what is none. Pure. */
export function readPreflight(answer: unknown): ReadPreflight | undefined {
  const { admitted, rendering, digest, refusal, secret } = membersOf(answer);
  if (admitted === true) {
    return typeof rendering === 'string' && typeof digest === 'string' ? { admitted, rendering, digest } : undefined;
  }
  if (refusal !== undefined) {
    const { class: kind, ...at } = membersOf(refusal);
    const place = placeOf(at);
    return typeof kind === 'string' && place !== undefined
      ? { admitted: false, kind: 'refusal', class: kind, place }
      : undefined;
  }
  const { rule, within, ...at } = membersOf(secret);
  return typeof rule === 'string'
    ? { admitted: false, kind: 'secret', rule, where: within === 'text' ? placeOf(at) : undefined }
    : undefined;
}

/** What was preflighted, and how it is called. */
export interface Source {
  readonly name: string;
  readonly text: string;
}

/**
 * An answer for a person: the rendering with its digest, or the place of the refusal in the author's own text. A line that
 * looks like a secret is not shown.
 *
 * Pure.
 */
export function preflightLines(
  answer: ReadPreflight,
  source: Source,
  options: { readonly paint: Paint; readonly sentenceOf: (refusalClass: string) => string },
): readonly string[] {
  const { bold, dim, red } = options.paint;
  if (answer.admitted) {
    const lines = printableLines(answer.rendering.replace(/\n$/, '')).split('\n');
    const numbered = lines.map((line) => (/^\d+\. /.test(line) ? bold(line) : line));
    return [...paintDiffs(numbered, options.paint), '', dim(`digest ${printable(answer.digest)}`)];
  }
  const name = printable(source.name);
  if (answer.kind === 'secret') {
    const { where, rule } = answer;
    const at =
      where === undefined ? 'the policy of the profile' : `${name}:${String(where.line)}:${String(where.column)}`;
    return [`${at}  ${red('refused')}  It looks like a secret  ${dim(printable(rule))}`];
  }
  const { place, class: refusalClass } = answer;
  const at = `${name}:${String(place.line)}:${String(place.column)}`;
  return [
    `${at}  ${red('refused')}  ${printable(options.sentenceOf(refusalClass))}  ${dim(printable(refusalClass))}`,
    ...caretLines(source.text, place, options.paint),
  ];
}

function placeOf({ line, column }: Readonly<Record<string, unknown>>): TextPlace | undefined {
  return typeof line === 'number' && typeof column === 'number' ? { line, column } : undefined;
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

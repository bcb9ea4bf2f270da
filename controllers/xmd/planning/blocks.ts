import { readFragment } from '../fragment/parse.ts';
import type { ExtractionLimits, Unclear } from './extraction.ts';
import type { FenceOpener, Line } from './lines.ts';
import { closes, holdsElement, linesOf, openerOf } from './lines.ts';

/** A fenced block that may be the fragment. `body` is undefined when a line of it lacks the fence's indentation. */
export interface Block {
  readonly word: string;
  readonly body: string | undefined;
}

/** Words behind a fence under which models put fragments; other blocks are part of an explanation. */
const WORDS: ReadonlySet<string> = new Set([
  '',
  'fragment',
  'html',
  'jsx',
  'markdown',
  'md',
  'mdx',
  'plaintext',
  'text',
  'tsx',
  'txt',
  'xmd',
  'xml',
]);

/** Places tried for the ends of fences in one answer; each is one reading of what would be inside. */
const READINGS_MAX = 200;

type Found =
  | { readonly ok: true; readonly blocks: readonly Block[]; readonly elementOutside: boolean }
  | { readonly ok: false; readonly reason: Unclear };

/**
 * The blocks of an answer that may be its fragment, and whether an element stands outside of all fences.
 *
 * Pure.
 *
 * @see kernel-specs/plan.md PL-24 to PL-27
 */
export function blocksOf(text: string, lines: readonly Line[], limits: ExtractionLimits): Found {
  const blocks: Block[] = [];
  const answer = { text, lines, limits, budget: { readings: READINGS_MAX } };
  let elementOutside = false;
  for (let at = 0; at < lines.length;) {
    const line = lines[at];
    const opener = line === undefined ? undefined : openerOf(line);
    if (line === undefined || opener === undefined) {
      elementOutside ||= line !== undefined && holdsElement(line.text);
      at += 1;
      continue;
    }
    const end = endOf(opener, at, answer);
    if (!end.ok) {
      return end;
    }
    if (end.block !== undefined) {
      blocks.push(end.block);
    }
    at = end.next;
  }
  return { ok: true, blocks, elementOutside };
}

interface Answer {
  readonly text: string;
  readonly lines: readonly Line[];
  readonly limits: ExtractionLimits;
  /** Readings that are left for all fences of the answer together. */
  readonly budget: { readings: number };
}

type End =
  | { readonly ok: true; readonly next: number; readonly block?: Block }
  | { readonly ok: false; readonly reason: Unclear };

/**
 * Where the fence that line `at` opens ends: at its first closing line, or for a block that may be the fragment at the
 * first one up to which it reads as a fragment, because models nest fences of one length.
 */
function endOf(opener: FenceOpener, at: number, answer: Answer): End {
  const { text, lines, limits, budget } = answer;
  const bodyStart = lines[at]?.end ?? 0;
  const isNamed = opener.word === 'xmd';
  let first: number | undefined;
  for (const closer of closersBehind(opener, at, lines)) {
    first ??= closer;
    if (!WORDS.has(opener.word)) {
      return { ok: true, next: closer + 1 };
    }
    if (budget.readings === 0) {
      return { ok: false, reason: 'too-many-fences' };
    }
    budget.readings -= 1;
    const body = withoutIndent(text.slice(bodyStart, lines[closer]?.start), opener.indent);
    const read = body === undefined ? undefined : readFragment(body, limits);
    if (body !== undefined && read?.ok === true) {
      const isBlock = isNamed || read.value.elementCount > 0;
      return { ok: true, next: closer + 1, ...(isBlock ? { block: { word: opener.word, body } } : {}) };
    }
  }
  if (first === undefined) {
    const hidden = WORDS.has(opener.word) && (isNamed || holdsElements(text.slice(bodyStart)));
    return hidden ? { ok: false, reason: 'open-fence' } : { ok: true, next: lines.length };
  }
  const whole = text.slice(bodyStart, lines[first]?.start);
  const block = { word: opener.word, body: withoutIndent(whole, opener.indent) };
  return { ok: true, next: first + 1, ...(isNamed || holdsElements(whole) ? { block } : {}) };
}

function holdsElements(text: string): boolean {
  return linesOf(text).some((line) => holdsElement(line.text));
}

/** Line numbers of what can close a fence, found as they are asked for. */
function* closersBehind(opener: FenceOpener, at: number, lines: readonly Line[]): Generator<number> {
  for (let index = at + 1; index < lines.length; index += 1) {
    const line = lines[index];
    if (line !== undefined && closes(line, opener)) {
      yield index;
    }
  }
}

/** Each line without the fence's own indentation; undefined when one that is not blank does not start with it. */
function withoutIndent(body: string, indent: string): string | undefined {
  if (indent === '') {
    return body;
  }
  const lines = body.split('\n');
  const fits = lines.every((line) => line.startsWith(indent) || line.trim() === '');
  return fits
    ? lines.map((line) => (line.startsWith(indent) ? line.slice(indent.length) : line)).join('\n')
    : undefined;
}

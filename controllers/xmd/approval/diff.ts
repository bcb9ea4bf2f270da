import { structuredPatch } from 'diff';
import { printable, printableLines } from '../values/printable.ts';

/** Lines around a change, as `diff -u` shows them. */
const CONTEXT_LINES = 3;
/** Lines that may differ before two texts are shown whole: the search for what is common grows with their square. */
const FILE_EDITS_MAX = 1_000;
/** The same for all files of one rendering. */
const ALL_EDITS_MAX = 4_000;
/** Lines of both texts times edits, for all files of one rendering: each edit may walk along every line once. */
const WORK_MAX = 2_000_000_000;
/** Lines of both texts that are searched at all. */
const SEARCHED_LINES_MAX = 1_000_000;
const NO_LINE_END = String.raw`\ No newline at end of file`;

/** Two texts of one file; undefined where there is none. */
interface Change {
  readonly path: string;
  readonly from: string | undefined;
  readonly to: string | undefined;
}

/** Makes the unified diffs of one rendering, and keeps count of how much is searched for them. */
export class Differ {
  #editsLeft = ALL_EDITS_MAX;
  #workLeft = WORK_MAX;

  /** The lines of a unified diff, everything in them escaped that could deceive; none where no line changes. */
  lines({ path, from, to }: Change): readonly string[] {
    const hunks = from === to ? [] : this.#hunks(from ?? '', to ?? '');
    const name = (text: string | undefined): string => (text === undefined ? '/dev/null' : printable(path));
    return hunks.length === 0 ? [] : [`--- ${name(from)}`, `+++ ${name(to)}`, ...hunks];
  }

  #hunks(from: string, to: string): readonly string[] {
    const [before, after] = [lineEndsOf(from), lineEndsOf(to)];
    const all = before + after + 2;
    const maxEditLength = Math.min(FILE_EDITS_MAX, this.#editsLeft, Math.floor(this.#workLeft / all));
    const hopeless = from === '' || to === '' || all > SEARCHED_LINES_MAX || Math.abs(before - after) > maxEditLength;
    if (hopeless) {
      return wholeHunk(from, to);
    }
    const patch = structuredPatch('', '', from, to, undefined, undefined, { context: CONTEXT_LINES, maxEditLength });
    if (patch === undefined) {
      this.#editsLeft -= maxEditLength;
      this.#workLeft -= maxEditLength * all;
      return wholeHunk(from, to);
    }
    const shown: string[] = [];
    for (const { oldStart, oldLines, newStart, newLines, lines } of patch.hunks) {
      this.#editsLeft -= lines.length;
      this.#workLeft -= lines.length * all;
      shown.push(heading([oldStart, oldLines], [newStart, newLines]));
      for (const line of lines) shown.push(printable(line));
    }
    return shown;
  }
}

/** A text as lines with a mark ahead, escaped; a last one says when the text has no line ending. Pure. */
export function marked(mark: string, text: string): readonly string[] {
  const lines = printableLines(text).split('\n');
  const last = lines.pop() ?? '';
  const whole = lines.map((line) => mark + line);
  return last === '' ? whole : [...whole, mark + last, NO_LINE_END];
}

function lineEndsOf(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}

function wholeHunk(from: string, to: string): readonly string[] {
  const [before, after] = [marked('-', from), marked('+', to)];
  return before.length + after.length === 0
    ? []
    : [heading([1, countOf(before)], [1, countOf(after)]), ...before, ...after];
}

function countOf(lines: readonly string[]): number {
  return lines.length - (lines.at(-1) === NO_LINE_END ? 1 : 0);
}

type Range = readonly [start: number, lines: number];

function heading(from: Range, to: Range): string {
  return `@@ -${rangeText(from)} +${rangeText(to)} @@`;
}

function rangeText([start, lines]: Range): string {
  if (lines === 0) return `${start - 1},0`;
  return lines === 1 ? String(start) : `${start},${lines}`;
}

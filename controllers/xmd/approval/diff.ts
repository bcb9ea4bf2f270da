import { structuredPatch } from 'diff';
import { printable } from '../values/printable.ts';

/** Lines around a change, as `diff -u` shows them. */
const CONTEXT_LINES = 3;
/** Lines that may differ before two texts are shown whole: the search for what is common grows with their square. */
const FILE_EDITS_MAX = 1_000;
/** The same for all files of one rendering. */
const ALL_EDITS_MAX = 4_000;
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

  /** The lines of a unified diff, everything in them escaped that could deceive; none where no line changes. */
  lines({ path, from, to }: Change): readonly string[] {
    const hunks = from === to ? [] : this.#hunks(from ?? '', to ?? '');
    const name = (text: string | undefined): string => (text === undefined ? '/dev/null' : printable(path));
    return hunks.length === 0 ? [] : [`--- ${name(from)}`, `+++ ${name(to)}`, ...hunks];
  }

  #hunks(from: string, to: string): readonly string[] {
    const maxEditLength = Math.min(FILE_EDITS_MAX, this.#editsLeft);
    const patch =
      from === '' || to === ''
        ? undefined
        : structuredPatch('', '', from, to, undefined, undefined, { context: CONTEXT_LINES, maxEditLength });
    if (patch === undefined) {
      this.#editsLeft -= from === '' || to === '' ? 0 : maxEditLength;
      return wholeHunk(from, to);
    }
    const shown: string[] = [];
    for (const { oldStart, oldLines, newStart, newLines, lines } of patch.hunks) {
      this.#editsLeft -= lines.length;
      shown.push(heading([oldStart, oldLines], [newStart, newLines]));
      for (const line of lines) shown.push(printable(line));
    }
    return shown;
  }
}

/** A text as lines with a mark ahead, escaped; a last one says when the text has no line ending. Pure. */
export function marked(mark: string, text: string): readonly string[] {
  const lines = text.split('\n');
  const last = lines.pop() ?? '';
  const whole = lines.map((line) => `${mark}${printable(line)}`);
  return last === '' ? whole : [...whole, `${mark}${printable(last)}`, NO_LINE_END];
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

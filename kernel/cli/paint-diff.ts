import type { Paint } from './paint.ts';

const HEADING = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/;

/**
 * Colours the hunks of the unified diffs in a text, and the names of files ahead of them; everything else stays as it is.
 *
 * Pure. A heading says how many lines follow, so nothing behind them is taken for a part of the diff.
 */
export function paintDiffs(lines: readonly string[], { red, green, cyan, bold }: Paint): readonly string[] {
  let [removals, additions] = [0, 0];
  return lines.map((line, index) => {
    const inside = removals > 0 || additions > 0;
    if (inside && line.startsWith('-')) {
      removals -= 1;
      return red(line);
    }
    if (inside && line.startsWith('+')) {
      additions -= 1;
      return green(line);
    }
    if (inside && line.startsWith(' ')) {
      removals -= 1;
      additions -= 1;
      return line;
    }
    const heading = HEADING.exec(line);
    if (heading !== null) {
      [removals, additions] = [Number(heading[1] ?? 1), Number(heading[2] ?? 1)];
      return cyan(line);
    }
    const next = lines[index + 1] ?? '';
    return (line.startsWith('--- ') && next.startsWith('+++ ')) || line.startsWith('+++ ') ? bold(line) : line;
  });
}

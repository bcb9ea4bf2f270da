import type { Paint } from './paint.ts';
import { printable } from './printable.ts';

/** UTF-16 units of a line that are shown on either side of the place. */
const AROUND_UNITS = 60;
const WIDE =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Emoji_Presentation}\uff01-\uff60]/u;

/** A place in a text: both from 1, lines end at LF, columns in UTF-16 units. */
export interface TextPlace {
  readonly line: number;
  readonly column: number;
}

/** The line of a text that holds a place, with a caret below it; nothing in it can deceive. Pure. */
export function caretLines(text: string, { line, column }: TextPlace, { dim, red }: Paint): readonly string[] {
  const whole = (text.split('\n')[line - 1] ?? '').replace(/\r$/, '');
  const start = Math.max(0, column - 1 - AROUND_UNITS);
  const end = column - 1 + AROUND_UNITS;
  const before = `${start > 0 ? '…' : ''}${printable(whole.slice(start, column - 1))}`;
  const behind = `${printable(whole.slice(column - 1, end))}${end < whole.length ? '…' : ''}`;
  const number = String(line);
  return [
    `${dim(`${number} │`)} ${before}${behind}`,
    `${dim(`${' '.repeat(number.length)} │`)} ${' '.repeat(columnsOf(before))}${red('^')}`,
  ];
}

/** Columns of a terminal that a printable text takes, as near as can be told without asking the terminal. */
function columnsOf(text: string): number {
  return Array.from(text).reduce((sum, character) => {
    if (/\p{M}/u.test(character)) return sum;
    return sum + (WIDE.test(character) ? 2 : 1);
  }, 0);
}

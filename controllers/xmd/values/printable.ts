// Control characters, bidirectional controls, zero-width characters, the byte order mark, line and paragraph separators,
// fillers, variation selectors, tags, lone surrogates: what could rewrite a line of a terminal, or hide in one. The command
// line escapes the same.
const UNPRINTABLE = /[\p{Cc}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb\ud800-\udfff]/gu;

const UNPRINTABLE_IN_LINES = new RegExp(`(?!\\n)(?:${UNPRINTABLE.source})`, 'gu');

const SHORT: ReadonlyMap<string, string> = new Map([
  ['\n', String.raw`\n`],
  ['\t', String.raw`\t`],
  ['\r', String.raw`\r`],
]);

/** A text on one line, with everything escaped that could deceive a person who reads it. Pure. */
export function printable(text: string): string {
  return text.replaceAll(UNPRINTABLE, escaped);
}

/** The same for text whose own lines are kept: one pass over all of it, however many lines it has. Pure. */
export function printableLines(text: string): string {
  return text.replaceAll(UNPRINTABLE_IN_LINES, escaped);
}

function escaped(character: string): string {
  const point = character.codePointAt(0) ?? 0;
  const hex = point.toString(16);
  return SHORT.get(character) ?? (point > 0xffff ? `\\u{${hex}}` : `\\u${hex.padStart(4, '0')}`);
}

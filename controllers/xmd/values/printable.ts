// Control characters, bidirectional controls, zero-width characters, the byte order mark, line and paragraph separators,
// tags, lone surrogates: what could rewrite a line of a terminal, or hide in one. The command line escapes the same.
const UNPRINTABLE =
  // oxlint-disable-next-line no-control-regex -- these are exactly the characters to find
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]|[\ud800-\udfff]/gu;

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

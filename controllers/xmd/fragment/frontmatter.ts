const FIRST = /^\uFEFF?---[ \t\r]*\n/;
const LATER = /\n---[ \t\r]*(?=\n|$)/g;

/** Offset of the `---` that opens a frontmatter, or undefined. Pure. Linear. @see F-06 */
export function frontmatterOffset(text: string): number | undefined {
  const first = FIRST.exec(text);
  if (first === null) {
    return undefined;
  }
  LATER.lastIndex = first[0].length - 1;
  if (!LATER.test(text)) {
    return undefined;
  }
  return text.startsWith('---') ? 0 : 1;
}

/** UTF-8 bytes of a well-formed string. Pure. Linear. */
export function utf8Bytes(text: string): number {
  let bytes = text.length;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    if (unit > 0x7f) {
      // Each half of a surrogate pair stands for two of its four bytes.
      bytes += unit <= 0x7ff || (unit >= 0xd800 && unit <= 0xdfff) ? 1 : 2;
    }
  }
  return bytes;
}

/** Whether `text` has at most `bytesMax` UTF-8 bytes. Pure. Counts only where the length leaves it open. */
export function fitsBytes(text: string, bytesMax: number): boolean {
  if (text.length > bytesMax) {
    return false;
  }
  return text.length * 3 <= bytesMax || utf8Bytes(text) <= bytesMax;
}

// With the u flag a surrogate class matches lone halves only.
const UNREADABLE = /[\0\uD800-\uDFFF]/u;

/** Offset of the first NUL or lone surrogate, or undefined. Pure. Linear. @see F-05 */
export function unreadableCharacter(text: string): number | undefined {
  const found = text.search(UNREADABLE);
  return found === -1 ? undefined : found;
}

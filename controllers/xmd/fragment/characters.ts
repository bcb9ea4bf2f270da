/** UTF-8 bytes of a well-formed string. Pure. Linear. */
function utf8Bytes(text: string): number {
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

/** Offset of the first NUL or lone surrogate, or undefined. Pure. Linear. @see F-05 */
export function unreadableCharacter(text: string): number | undefined {
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    if (unit === 0 || (unit >= 0xd800 && unit <= 0xdfff)) {
      if (unit === 0 || unit >= 0xdc00 || !isLowSurrogate(text.charCodeAt(index + 1))) {
        return index;
      }
      index += 1;
    }
  }
  return undefined;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}

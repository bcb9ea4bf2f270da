/** No double has more digits that count; longer ones are not worth a look. */
const DIGITS_MAX = 400;
const SUSPECT = /\d{16}|\d[eE]/;
const NUMBER = /[-+.eE\d]+/y;

/**
 * Whether JSON text holds a number that its readers change: an integer beyond a double, or one that is infinite. Pure.
 * Linear in the text.
 */
export function hasInexactNumber(json: string): boolean {
  if (!SUSPECT.test(json)) return false;
  for (let at = 0; at < json.length;) {
    const one = json.charCodeAt(at);
    if (one === 0x22) at = endOfText(json, at);
    else if (one === 0x2d || (one >= 0x30 && one <= 0x39)) {
      NUMBER.lastIndex = at;
      const [literal = ''] = NUMBER.exec(json) ?? [];
      if (isInexact(literal)) return true;
      at += Math.max(1, literal.length);
    } else at += 1;
  }
  return false;
}

function isInexact(literal: string): boolean {
  const number = Number(literal);
  if (!Number.isFinite(number)) return true;
  if (Number.isSafeInteger(number) || /[.eE]/.test(literal)) return false;
  if (literal.length > DIGITS_MAX) return true;
  // JavaScript spells a double by the fewest digits that lead back to it; those are no other number's.
  return String(number) !== literal && BigInt(literal) !== BigInt(number);
}

/** Where the text that begins at `start` is over. */
function endOfText(json: string, start: number): number {
  for (let at = start + 1; at < json.length; at += 1) {
    const one = json.charCodeAt(at);
    if (one === 0x5c) at += 1;
    else if (one === 0x22) return at + 1;
  }
  return json.length;
}

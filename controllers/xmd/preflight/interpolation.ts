const IDENTIFIER = /[\p{ID_Start}$_][\p{ID_Continue}$\u200c\u200d]*/uy;

/**
 * Offset of the first `{` that reads a binding: `{name}`, `{name.part}`, or `{meta.` and `{props.` with anything up
 * to `}`. A backslash before the brace suppresses it.
 *
 * Pure. Linear.
 *
 * @see F-45
 */
export function interpolationOffset(text: string): number | undefined {
  let close = 0;
  for (let at = text.indexOf('{'); at !== -1; at = text.indexOf('{', at + 1)) {
    if (text[at - 1] === '\\') {
      continue;
    }
    if (text.startsWith('meta.', at + 1) || text.startsWith('props.', at + 1)) {
      // The next closing brace is searched for once, however many opening ones come before it.
      close = close > at ? close : nextBrace(text, at);
      if (close < text.length) {
        return at;
      }
    } else if (isReference(text, at + 1)) {
      return at;
    }
  }
  return undefined;
}

function nextBrace(text: string, from: number): number {
  const found = text.indexOf('}', from);
  return found === -1 ? text.length : found;
}

function isReference(text: string, from: number): boolean {
  let at = from;
  for (;;) {
    IDENTIFIER.lastIndex = at;
    if (!IDENTIFIER.test(text)) {
      return false;
    }
    at = IDENTIFIER.lastIndex;
    if (text[at] !== '.') {
      return text[at] === '}';
    }
    at += 1;
  }
}

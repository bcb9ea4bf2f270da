export type Admits = (character: number) => boolean;

const isDigit: Admits = (c) => c >= 48 && c <= 57;
const isWord: Admits = (c) => isDigit(c) || (c >= 65 && c <= 90) || (c >= 97 && c <= 122) || c === 95;
const isSpace: Admits = (c) => c === 32 || (c >= 9 && c <= 13);
const not =
  (admits: Admits): Admits =>
  (c) =>
    !admits(c);

/** `\d` and its kin, by letter. ASCII, as in RE2. */
export const CLASS_ESCAPES: Readonly<Record<string, Admits>> = {
  d: isDigit,
  D: not(isDigit),
  w: isWord,
  W: not(isWord),
  s: isSpace,
  S: not(isSpace),
};

/** `[:alpha:]` and its kin, by name. */
export const NAMED_CLASSES: Readonly<Record<string, Admits>> = {
  alnum: (c) => isWord(c) && c !== 95,
  alpha: (c) => isWord(c) && c !== 95 && !isDigit(c),
  blank: (c) => c === 32 || c === 9,
  digit: isDigit,
  lower: (c) => c >= 97 && c <= 122,
  punct: (c) => c > 32 && c < 127 && (!isWord(c) || c === 95),
  space: isSpace,
  upper: (c) => c >= 65 && c <= 90,
  word: isWord,
  xdigit: (c) => isDigit(c) || (c >= 65 && c <= 70) || (c >= 97 && c <= 102),
};

/** One character of a Unicode property, such as `L` or `Script=Greek`. Pure. @throws SyntaxError for an unknown one. */
export function unicodeClass(property: string, negated: boolean): Admits {
  const name = /^\w+$/.test(property) && property.length > 2 ? `Script=${property}` : property;
  const single = new RegExp(`^\\${negated ? 'P' : 'p'}{${name}}$`, 'u');
  return (c) => single.test(String.fromCodePoint(c));
}

/** Also admits the other case of what is admitted. Pure. */
export function eitherCase(admits: Admits): Admits {
  return (c) => {
    if (admits(c)) return true;
    const character = String.fromCodePoint(c);
    const lower = character.toLowerCase().codePointAt(0);
    const upper = character.toUpperCase().codePointAt(0);
    return (lower !== undefined && admits(lower)) || (upper !== undefined && admits(upper));
  };
}

/** Whether `at` stands between a word character and something else. Pure. */
export function atWordBoundary(text: string, at: number): boolean {
  const before = at > 0 && isWord(text.charCodeAt(at - 1));
  const after = at < text.length && isWord(text.charCodeAt(at));
  return before !== after;
}

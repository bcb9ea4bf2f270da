/**
 * Whether a name fits a pattern of `*` (any characters) and `?` (one character). A pattern that does not begin with a dot
 * fits no name that does. Pure. At most the product of the lengths: on a mismatch only the last `*` takes one more.
 */
export function fitsWildcard(pattern: string, name: string): boolean {
  if (name.startsWith('.') && !pattern.startsWith('.')) return false;
  let [at, from] = [0, 0];
  let star: { readonly next: number; taken: number } | undefined;
  while (from < name.length) {
    if (pattern[at] === '*') {
      star = { next: at + 1, taken: from };
      at += 1;
    } else if (at < pattern.length && (pattern[at] === '?' || pattern[at] === name[from])) {
      [at, from] = [at + 1, from + 1];
    } else if (star === undefined) {
      return false;
    } else {
      star.taken += 1;
      [at, from] = [star.next, star.taken];
    }
  }
  while (pattern[at] === '*') at += 1;
  return at === pattern.length;
}

const TEXT_LIMIT = 100_000;
const PATTERN_LIMIT = 1_000;
const cache = new Map<string, RegExp>();
export function boundedText(text: string): string {
  if (text.length > TEXT_LIMIT) throw new Error(`A pattern is matched against at most ${TEXT_LIMIT} characters`);
  return text;
}
export function linearPattern(pattern: string, flags: string): RegExp {
  const key = `${flags}/${pattern}`;
  const known = cache.get(key);
  if (known !== undefined) return known;
  if (pattern.length > PATTERN_LIMIT) throw new Error('pattern too long');
  const made = new RegExp(pattern, flags);
  cache.set(key, made);
  return made;
}

import { pattern } from './pattern.ts';
import type { Pattern } from './pattern.ts';

const SPACES =
  '\\t\\n\\v\\f\\r \\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}\\x{feff}';
const PART =
  /\\u\{([0-9a-fA-F]+)\}|\\u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})|\\u([0-9a-fA-F]{4})|\\c([A-Za-z])|\\0|\\[\s\S]|\[\^?|\]|\./gu;

/**
 * A pattern of a JSON Schema, which is ECMAScript's, for the matcher that cannot be made to hang. Pure.
 * @throws SyntaxError when it is no pattern, Error when only a backtracking matcher could run it (lookaround, backreferences).
 * @see kernel-specs/manifest.md
 */
export function ecmaPattern(source: string): Pattern {
  // The host reads it only to say whether it is one: what it admits here is never run.
  void new RegExp(source, 'u');
  return pattern(translated(source));
}

function translated(source: string): string {
  let inSet = false;
  return source.replace(PART, (part, braced?: string, high?: string, low?: string, unit?: string, control?: string) => {
    if (braced !== undefined) return `\\x{${braced}}`;
    if (high !== undefined && low !== undefined) {
      const pair = String.fromCharCode(Number.parseInt(high, 16), Number.parseInt(low, 16));
      return `\\x{${(pair.codePointAt(0) ?? 0).toString(16)}}`;
    }
    if (unit !== undefined) return `\\x{${unit}}`;
    if (control !== undefined) return `\\x{${((control.codePointAt(0) ?? 0) % 32).toString(16)}}`;
    switch (part) {
      case '\\0':
        return '\\x{0}';
      case '\\s':
        return inSet ? SPACES : `[${SPACES}]`;
      case '\\S':
        return inSet ? part : `[^${SPACES}]`;
      case '\\A':
      case '\\z':
        throw new SyntaxError(`Invalid escape ${part}`);
      case '.':
        return inSet ? part : '[^\\n\\r\\x{2028}\\x{2029}]';
      case '[':
      case '[^':
        if (inSet) return part;
        inSet = true;
        return part;
      case ']':
        inSet = false;
        return part;
      default:
        return part;
    }
  });
}

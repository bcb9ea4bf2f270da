import { readStrictJson } from '../values/strict-json.ts';
import type { Prop } from './fragment.ts';
import type { PlaceCursor } from './place.ts';

interface ReadProp {
  readonly prop: Prop;
  readonly end: number;
}

/** Reads the value behind `=`: quoted, or in braces. Pure. Answers undefined where there is neither. @see F-20 to F-24 */
export function readPropValue(text: string, at: number, places: PlaceCursor): ReadProp | undefined {
  const opener = text[at];
  if (opener === '"' || opener === "'") {
    return readQuoted(text, at);
  }
  return opener === '{' ? readBraced(text, at, places) : undefined;
}

function readQuoted(text: string, at: number): ReadProp | undefined {
  const close = text.indexOf(text.charAt(at), at + 1);
  if (close === -1) {
    return undefined;
  }
  // A backslash before a quote reads as an escape elsewhere; here the two readings would differ.
  const value = text.slice(at + 1, close);
  if (value.endsWith('\\') || value.includes('\\"') || value.includes("\\'")) {
    return undefined;
  }
  return { prop: { kind: 'string', value }, end: close + 1 };
}

function readBraced(text: string, at: number, places: PlaceCursor): ReadProp | undefined {
  const json = readStrictJson(text, at + 1);
  if (json !== undefined && text[json.end] === '}') {
    return { prop: { kind: 'json', value: json.value }, end: json.end + 1 };
  }
  const end = braceEnd(text, at);
  return end === undefined ? undefined : { prop: { kind: 'expression', place: places.at(at) }, end };
}

const BRACE_OR_QUOTE = /[{}"'`]/g;
const STRING_STOP = { '"': /["\\]/g, "'": /['\\]/g, '`': /[`\\]/g } as const;

/** Offset behind the brace that closes the one at `at`, strings stepped over. */
function braceEnd(text: string, at: number): number | undefined {
  let depth = 0;
  BRACE_OR_QUOTE.lastIndex = at;
  while (BRACE_OR_QUOTE.test(text)) {
    const behind = BRACE_OR_QUOTE.lastIndex;
    const character = text[behind - 1];
    if (character === '"' || character === "'" || character === '`') {
      const end = stringEnd(text, behind, character);
      if (end === undefined) {
        return undefined;
      }
      BRACE_OR_QUOTE.lastIndex = end;
      continue;
    }
    depth += character === '{' ? 1 : -1;
    if (depth === 0) {
      return behind;
    }
  }
  return undefined;
}

function stringEnd(text: string, from: number, quote: keyof typeof STRING_STOP): number | undefined {
  const stop = STRING_STOP[quote];
  stop.lastIndex = from;
  while (stop.test(text)) {
    if (text[stop.lastIndex - 1] === quote) {
      return stop.lastIndex;
    }
    stop.lastIndex += 1;
  }
  return undefined;
}

import type { JsonValue } from './json.ts';

/** Deepest nesting of a JSON value in a prop; what reads it later may recurse. */
const JSON_DEPTH_MAX = 256;

const SPACE = /[ \t\r\n]*/y;
// oxlint-disable-next-line eslint/no-control-regex -- a control character ends what is a JSON string
const STRING_STOP = /["\\\u0000-\u001f]/g;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
const NUMBER = /-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?/y;
const WORD = /true|false|null/y;
const LONE_SURROGATE = /[\uD800-\uDFFF]/u;

/** One container that is open while a value is scanned; an array has no keys. */
interface Container {
  readonly keys?: Set<string>;
}

/**
 * Reads one strict JSON value at `start`, white space around it included.
 *
 * Pure. Linear, does not recurse. Duplicate keys, numbers that a double cannot hold exactly as integers or at all,
 * lone surrogates and nesting past `JSON_DEPTH_MAX` are not read.
 *
 * @returns The value and the offset behind it, or undefined.
 */
export function readStrictJson(text: string, start: number): { value: JsonValue; end: number } | undefined {
  const end = scanValue(text, start);
  if (end === undefined) {
    return undefined;
  }
  const value: JsonValue = JSON.parse(text.slice(start, end));
  return { value, end: skip(SPACE, text, end) };
}

function scanValue(text: string, start: number): number | undefined {
  const open: Container[] = [];
  let at: number | undefined = start;
  for (;;) {
    at = skip(SPACE, text, at);
    const opened: '{' | '[' | undefined = openerAt(text, at);
    if (opened === undefined) {
      at = scanScalar(text, at);
    } else {
      if (open.length === JSON_DEPTH_MAX) {
        return undefined;
      }
      const inner: number = skip(SPACE, text, at + 1);
      const empty: boolean = text[inner] === (opened === '{' ? '}' : ']');
      if (!empty) {
        const container: Container = opened === '{' ? { keys: new Set() } : {};
        open.push(container);
        at = scanKey(text, inner, container);
        if (at === undefined) {
          return undefined;
        }
        continue;
      }
      at = inner + 1;
    }
    at = at === undefined ? undefined : scanAfter(text, at, open);
    if (at === undefined || open.length === 0) {
      return at;
    }
  }
}

/** Behind a complete value: closes what ends here, or steps to where the next value starts. */
function scanAfter(text: string, from: number, open: Container[]): number | undefined {
  let at = from;
  for (;;) {
    const container = open.at(-1);
    if (container === undefined) {
      return at;
    }
    at = skip(SPACE, text, at);
    if (text[at] === ',') {
      return scanKey(text, skip(SPACE, text, at + 1), container);
    }
    if (text[at] !== (container.keys === undefined ? ']' : '}')) {
      return undefined;
    }
    open.pop();
    at += 1;
  }
}

/** Offset of the value behind a key and its colon; in an array, of the value itself. */
function scanKey(text: string, at: number, container: Container): number | undefined {
  if (container.keys === undefined) {
    return at;
  }
  const end = scanString(text, at);
  if (end === undefined) {
    return undefined;
  }
  const key = decode(text, at, end);
  const colon = skip(SPACE, text, end);
  if (container.keys.has(key) || text[colon] !== ':') {
    return undefined;
  }
  container.keys.add(key);
  return colon + 1;
}

function scanScalar(text: string, at: number): number | undefined {
  if (text[at] === '"') {
    return scanString(text, at);
  }
  const word = skip(WORD, text, at);
  return word > at ? word : scanNumber(text, at);
}

function scanString(text: string, at: number): number | undefined {
  let from = at + 1;
  let decodes = false;
  // One stop at a time: a pattern that repeats over escapes would grow the stack of the regular expression.
  while (text[at] === '"') {
    STRING_STOP.lastIndex = from;
    if (!STRING_STOP.test(text)) {
      return undefined;
    }
    const stop = STRING_STOP.lastIndex - 1;
    if (text[stop] === '"') {
      return decodes && LONE_SURROGATE.test(decode(text, at, stop + 1)) ? undefined : stop + 1;
    }
    from = skip(ESCAPE, text, stop);
    if (from === stop) {
      return undefined;
    }
    decodes ||= text[stop + 1] === 'u';
  }
  return undefined;
}

function decode(text: string, start: number, end: number): string {
  const value: string = JSON.parse(text.slice(start, end));
  return value;
}

function scanNumber(text: string, at: number): number | undefined {
  NUMBER.lastIndex = at;
  const found = NUMBER.exec(text);
  if (found === null) {
    return undefined;
  }
  const value = Number(found[0]);
  const written = found[1] === undefined && found[2] === undefined;
  const exact = written ? Number.isSafeInteger(value) : Number.isFinite(value);
  return exact ? at + found[0].length : undefined;
}

function openerAt(text: string, at: number): '{' | '[' | undefined {
  const character = text[at];
  return character === '{' || character === '[' ? character : undefined;
}

function skip(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}

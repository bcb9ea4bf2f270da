import type { CodeNode } from './fragment.ts';
import type { PlaceCursor } from './place.ts';

const CLOSERS = {
  '`': /\n[ \t]*`{3,}[ \t\r]*(?=\n|$)/g,
  '~': /\n[ \t]*~{3,}[ \t\r]*(?=\n|$)/g,
} as const;

type FenceCharacter = keyof typeof CLOSERS;

/** Offset of the indentation of a fence whose run starts at `at`, or undefined when something else precedes it. Pure. */
function indentStart(text: string, at: number): number | undefined {
  let start = at;
  while (start > 0 && isBlank(text.charCodeAt(start - 1))) {
    start -= 1;
  }
  return start === 0 || text.charCodeAt(start - 1) === LINE_FEED ? start : undefined;
}

/**
 * Reads the fence whose run starts at `at`; answers undefined when the run opens none.
 *
 * Pure. Linear in the fence. A fence that is never closed runs to the end of the text.
 *
 * @see F-30 to F-33
 */
export function readFence(text: string, at: number, places: PlaceCursor): CodeNode | undefined {
  const character: FenceCharacter = text[at] === '~' ? '~' : '`';
  const runEnd = endOfRun(text, at);
  const indentAt = runEnd - at < 3 ? undefined : indentStart(text, at);
  if (indentAt === undefined) {
    return undefined;
  }
  const lineEnd = places.lineEnd(runEnd);
  const info = text.slice(runEnd, lineEnd);
  if (character === '`' && info.includes('`')) {
    return undefined;
  }
  const close = findClose(text, { from: lineEnd, character, length: runEnd - at });
  return {
    kind: 'fence',
    start: at,
    end: close.end,
    bodyStart: Math.min(lineEnd + 1, text.length),
    bodyEnd: close.bodyEnd,
    indent: text.slice(indentAt, at),
    closed: close.closed,
    executable: asksToBeExecuted(info),
  };
}

/** Offset behind the run of equal characters that starts at `at`. Pure. */
export function endOfRun(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  let end = at + 1;
  while (end < text.length && text.charCodeAt(end) === unit) {
    end += 1;
  }
  return end;
}

interface Wanted {
  readonly from: number;
  readonly character: FenceCharacter;
  readonly length: number;
}

function findClose(text: string, wanted: Wanted): { bodyEnd: number; end: number; closed: boolean } {
  const closers = CLOSERS[wanted.character];
  closers.lastIndex = wanted.from;
  while (closers.test(text)) {
    const end = closers.lastIndex;
    let runEnd = end;
    while (isTrailing(text.charCodeAt(runEnd - 1))) {
      runEnd -= 1;
    }
    let runStart = runEnd;
    while (text[runStart - 1] === wanted.character) {
      runStart -= 1;
    }
    if (runEnd - runStart >= wanted.length) {
      return { bodyEnd: text.lastIndexOf('\n', runStart) + 1, end, closed: true };
    }
  }
  return { bodyEnd: text.length, end: text.length, closed: false };
}

const EXECUTABLE = /^(?:exec|eval)(?![A-Za-z0-9_-])/;

function asksToBeExecuted(info: string): boolean {
  if (!info.includes('exec') && !info.includes('eval')) {
    return false;
  }
  return info
    .trim()
    .split(/\s+/)
    .slice(1)
    .some((word) => EXECUTABLE.test(word));
}

const LINE_FEED = 0x0a;

function isBlank(unit: number): boolean {
  return unit === 0x20 || unit === 0x09;
}

function isTrailing(unit: number): boolean {
  return isBlank(unit) || unit === 0x0d;
}

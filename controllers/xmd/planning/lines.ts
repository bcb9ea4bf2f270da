/** A line of an answer: offsets in UTF-16 units, `end` behind its line ending, and its characters without that. */
export interface Line {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** What opens a fence: its run, the exact indentation before it, and the first word behind it in lower case. */
export interface FenceOpener {
  readonly character: string;
  readonly length: number;
  readonly indent: string;
  readonly word: string;
}

const RUN = /^([ \t]*)(`{3,}|~{3,})(.*)$/s;
const CLOSER = /^[ \t]*(`{3,}|~{3,})[ \t\r]*$/;

/** The lines of a text; lines end at LF. Pure. Linear. */
export function linesOf(text: string): readonly Line[] {
  const lines: Line[] = [];
  for (let start = 0; start < text.length;) {
    const feed = text.indexOf('\n', start);
    const end = feed === -1 ? text.length : feed + 1;
    lines.push({ start, end, text: text.slice(start, feed === -1 ? end : feed) });
    start = end;
  }
  return lines;
}

/** The fence that a line opens, as fragments read them; undefined when it opens none. Pure. @see F-30 */
export function openerOf(line: Line): FenceOpener | undefined {
  const [, indent, run, info] = RUN.exec(line.text) ?? [];
  if (indent === undefined || run === undefined || info === undefined) {
    return undefined;
  }
  const character = run.charAt(0);
  if (character === '`' && info.includes('`')) {
    return undefined;
  }
  const [word = ''] = info.trim().split(/[\s,{]/, 1);
  return { character, length: run.length, indent, word: word.toLowerCase() };
}

/** Whether a line can close a fence. Pure. @see F-31 */
export function closes(line: Line, { character, length }: FenceOpener): boolean {
  const [, run] = CLOSER.exec(line.text) ?? [];
  return run !== undefined && run.length >= length && run.startsWith(character);
}

const ELEMENT = /<\/?[A-Z]/;
const TICKS = /`+/g;

/** Whether a line, its code spans left out, holds what looks like an element or a close tag. Pure. Linear. */
export function holdsElement(text: string): boolean {
  if (!ELEMENT.test(text)) {
    return false;
  }
  return text.includes('`') ? ELEMENT.test(withoutSpans(text)) : true;
}

/** One pass: the runs of each length wait in a queue, so that a run finds the next equal one behind it at once. */
function withoutSpans(text: string): string {
  const runs = [...text.matchAll(TICKS)].map((found) => ({ at: found.index, length: found[0].length }));
  const waiting = new Map<number, { readonly starts: number[]; next: number }>();
  for (const { at, length } of runs) {
    const queue = waiting.get(length) ?? { starts: [], next: 0 };
    queue.starts.push(at);
    waiting.set(length, queue);
  }
  const kept: string[] = [];
  let from = 0;
  for (const { at, length } of runs) {
    const queue = waiting.get(length);
    if (queue === undefined) {
      continue;
    }
    queue.next += 1;
    const close = queue.starts[queue.next];
    if (at >= from && close !== undefined) {
      kept.push(text.slice(from, at), ' ');
      from = close + length;
    }
  }
  return kept.concat(text.slice(from)).join('');
}

import { parsePattern } from './parse.ts';
import { programOf } from './program.ts';
import type { Instruction } from './program.ts';
import { patternError, readFlags } from './syntax.ts';

/** Start and end of the whole match and of each group, in UTF-16 units; -1 for a group that took no part. */
type Slots = readonly number[];

/** Instructions that may still be followed, over one search or many. */
interface Budget {
  left: number;
  /** Raises what the owner of a shared budget wants raised. */
  readonly onSpent?: () => never;
}

interface Thread {
  readonly at: number;
  readonly slots: Slots;
}

const PATTERN_LIMIT = 1_000;
/** Instructions followed by one search, or by one search for all matches. */
const WORK_LIMIT = 10_000_000;
const CACHE_LIMIT = 500;
const cache = new Map<string, Pattern>();

/**
 * A compiled pattern of RE2's syntax. Searching takes time in proportion to the text, whatever the pattern: all ways
 * to match advance together, one character at a time.
 * @see kernel-specs/cel.md 4
 */
export class Pattern {
  readonly names: ReadonlyMap<number, string>;
  readonly groups: number;
  readonly #program: readonly Instruction[];

  constructor(source: string, flags: string) {
    if (source.length > PATTERN_LIMIT)
      throw patternError(`${source.slice(0, 40)}...`, `longer than ${PATTERN_LIMIT} characters`);
    const parsed = parsePattern(source, readFlags(flags));
    this.names = parsed.names;
    this.groups = parsed.groups;
    this.#program = programOf(parsed.node, source);
  }

  /** The leftmost match from `from` on, or undefined. Pure. @throws Error when text and pattern are too large together. */
  find(text: string, from = 0, budget: Budget = { left: WORK_LIMIT }): Slots | undefined {
    const initial: Slots = Array.from({ length: (this.groups + 1) * 2 }, () => -1);
    let best: Slots | undefined;
    let threads: Thread[] = [];
    for (let at = from; at <= text.length;) {
      if (best === undefined) this.#follow({ at: 0, slots: initial }, text, at, threads, budget);
      else if (threads.length === 0) break;
      budget.left -= threads.length + 1;
      if (budget.left < 0) budget.onSpent?.();
      if (budget.left < 0) throw new Error(`A text of ${text.length} characters is too long for this pattern`);
      const character = text.codePointAt(at);
      const width = character !== undefined && character > 0xffff ? 2 : 1;
      const ahead: Thread[] = [];
      const visited = new Set<number>();
      for (const thread of threads) {
        const instruction = this.#program[thread.at];
        if (instruction?.op === 'match') {
          best = thread.slots;
          break;
        }
        if (instruction?.op === 'character' && character !== undefined && instruction.admits(character)) {
          this.#follow({ at: thread.at + 1, slots: thread.slots }, text, at + width, ahead, budget, visited);
        }
      }
      threads = ahead;
      at += width;
    }
    return best;
  }

  /** Every match, left to right, none overlapping another. Pure. */
  *all(text: string, budget: Budget = { left: WORK_LIMIT }): Generator<Slots> {
    let from = 0;
    while (from <= text.length) {
      const found = this.find(text, from, budget);
      if (found === undefined) return;
      yield found;
      const [start = 0, end = 0] = found;
      from = end > start ? end : end + ((text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1);
    }
  }

  /** Adds every place reachable without a character to `threads`, in order of preference, each once. */
  #follow(
    entry: Thread,
    text: string,
    at: number,
    threads: Thread[],
    budget: Budget,
    seen = new Set(threads.map((thread) => thread.at)),
  ): void {
    const open: Thread[] = [entry];
    for (let thread = open.pop(); thread !== undefined; thread = open.pop()) {
      budget.left -= 1;
      const instruction = this.#program[thread.at];
      if (instruction === undefined || seen.has(thread.at)) continue;
      seen.add(thread.at);
      const next = thread.at + 1;
      if (instruction.op === 'split') {
        open.push({ at: instruction.second, slots: thread.slots }, { at: instruction.first, slots: thread.slots });
      } else if (instruction.op === 'save') {
        budget.left -= thread.slots.length >> 2;
        open.push({ at: next, slots: thread.slots.with(instruction.slot, at) });
      } else if (instruction.op === 'assertion') {
        if (instruction.holds(text, at)) open.push({ at: next, slots: thread.slots });
      } else threads.push(thread);
    }
  }
}

/** A compiled pattern, kept for the next time; `onCompile` hears of one that was not. @throws Error when it is none. */
export function pattern(source: string, flags = '', onCompile?: () => void): Pattern {
  const key = `${flags}/${source}`;
  const known = cache.get(key);
  if (known !== undefined) return known;
  onCompile?.();
  const made = new Pattern(source, flags);
  if (cache.size >= CACHE_LIMIT) cache.clear();
  cache.set(key, made);
  return made;
}

/** Text of a group, or undefined when it took no part. Pure. */
export function groupText(text: string, slots: Slots, group: number): string | undefined {
  const start = slots[group * 2] ?? -1;
  const end = slots[group * 2 + 1] ?? -1;
  return start < 0 || end < 0 ? undefined : text.slice(start, end);
}

/**
 * Replaces every match; `$1`, `${name}` and `\1` in the replacement are groups, `$$` is a dollar. Pure. `onSize` hears
 * of the size as it grows, and may throw.
 */
export function replaceAll(
  text: string,
  found: Pattern,
  replacement: string,
  budget?: Budget,
  onSize?: (size: number) => void,
): string {
  let answer = '';
  let from = 0;
  for (const slots of found.all(text, budget)) {
    const [start = 0, end = 0] = slots;
    answer += text.slice(from, start) + expanded(replacement, text, found, slots);
    onSize?.(answer.length);
    from = end;
  }
  return answer + text.slice(from);
}

function expanded(replacement: string, text: string, found: Pattern, slots: Slots): string {
  return replacement.replace(/\$\$|[$\\](\d{1,2})|\$\{(\w+)\}/g, (whole, digits?: string, name?: string) => {
    if (whole === '$$') return '$';
    if (digits !== undefined) return groupText(text, slots, Number(digits)) ?? '';
    const index = [...found.names].find(([, one]) => one === name)?.[0] ?? Number(name);
    return Number.isNaN(index) ? whole : (groupText(text, slots, index) ?? '');
  });
}

/** A glob over relative POSIX paths: `*` is any characters of one segment, `**` any segments. */
export interface PathPattern {
  readonly text: string;
  /** Whether it names exactly this path. */
  matches(segments: readonly string[]): boolean;
  /** Whether it names this path or something below it. */
  reaches(segments: readonly string[]): boolean;
  /** Whether it names this path or one that this path lies below. */
  covers(segments: readonly string[]): boolean;
}

/**
 * How names are compared. `exact`: as they are, and a wildcard stands for no name that begins with a dot. `folded`: as the
 * least particular file system would, wildcards for every name.
 */
export type PatternMode = 'exact' | 'folded';

const PATTERN_UNITS_MAX = 4_096;
/** Classes, alternatives, negations and escapes of other globs, which would mean themselves here. */
const OTHER_GLOB = /[\p{Cc}\\?[\]{}]|^!/u;
const GIT = '.git';

/** Whether a text is a pattern: relative, without empty and dot segments, `**` only as a whole segment. Pure. */
export function isPathPattern(text: string): boolean {
  return (
    text.length <= PATTERN_UNITS_MAX &&
    !OTHER_GLOB.test(text) &&
    text
      .split('/')
      .every((segment) => !['', '.', '..'].includes(segment) && (segment === '**' || !segment.includes('**')))
  );
}

/** What some file system takes for nothing in a name. */
const IGNORABLE = /[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu;

/** Names that some file system takes for one another become the same. */
function foldName(segment: string): string {
  return segment.normalize('NFC').replaceAll(IGNORABLE, '').toLowerCase();
}

/**
 * Compiles a pattern.
 *
 * Pure. Matching takes at most its length times that of the path, and never backtracks.
 *
 * @see kernel-specs/fragment.md F-63
 */
export function pathPattern(text: string, mode: PatternMode): PathPattern {
  const steps = text.split('/').map((step) => (mode === 'folded' ? foldName(step) : step));
  const walk = (segments: readonly string[]): { readonly left: ReadonlySet<number>; readonly passed: boolean } => {
    let left = closure([0], steps);
    let passed = false;
    for (const name of segments) {
      const folded = foldName(name);
      const next = [...left].flatMap((state) => advance(state, steps, { name, folded, mode }));
      left = closure(next, steps);
      passed ||= left.has(steps.length);
    }
    return { left, passed };
  };
  return {
    text,
    matches: (segments) => walk(segments).left.has(steps.length),
    reaches: (segments) => walk(segments).left.size > 0,
    covers: (segments) => walk(segments).passed,
  };
}

/** A state is the number of steps behind; `**` may stand for nothing. */
function closure(states: readonly number[], steps: readonly string[]): ReadonlySet<number> {
  const closed = new Set(states);
  for (const state of closed) {
    if (steps[state] === '**') {
      closed.add(state + 1);
    }
  }
  return closed;
}

interface Name {
  readonly name: string;
  readonly folded: string;
  readonly mode: PatternMode;
}

function advance(state: number, steps: readonly string[], at: Name): readonly number[] {
  const step = steps[state];
  if (step === undefined) {
    return [];
  }
  if (step === '**') {
    return at.mode === 'folded' || !at.folded.startsWith('.') ? [state] : [];
  }
  return matchesName(step, at) ? [state + 1] : [];
}

function matchesName(step: string, { name, folded, mode }: Name): boolean {
  const [first = '', ...others] = step.split('*');
  const last = others.pop();
  const compared = mode === 'folded' ? folded : name;
  if (last === undefined) {
    return step === compared;
  }
  if (mode === 'exact' && folded.startsWith('.') && (!step.startsWith('.') || folded === GIT)) {
    return false;
  }
  const stop = compared.length - last.length;
  if (!compared.startsWith(first) || !compared.endsWith(last) || stop < first.length) {
    return false;
  }
  let at = first.length;
  for (const piece of others) {
    const found = compared.indexOf(piece, at);
    if (found === -1 || found + piece.length > stop) {
      return false;
    }
    at = found + piece.length;
  }
  return true;
}

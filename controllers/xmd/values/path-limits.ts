import type { JsonObject } from './json.ts';
import type { PathPattern } from './path-pattern.ts';
import { pathPattern } from './path-pattern.ts';

/** What is about to be done at a path; creating a directory counts as writing. */
export type PathAccess = 'read' | 'write' | 'delete' | 'directory';

/** The lists of one kind of access; `allow` left out is everything. */
export interface StatedPaths {
  readonly allow?: readonly string[];
  readonly deny?: readonly string[];
}

export type LimitedAccess = 'read' | 'write' | 'delete';

/** Which paths below the root a fragment may read, write and delete. */
export interface PathLimits {
  /** `path` is relative to the root, without empty and dot segments; `.` is the root itself. */
  permits(access: PathAccess, path: string): boolean;
  /** What was stated of these kinds, as a policy holds it: `{}` when nothing was. */
  json(kinds: readonly LimitedAccess[]): JsonObject;
}

/**
 * Makes limits of what a profile states. Deny beats allow, and covers everything below what it names; a name that begins
 * with a dot is outside unless an allow pattern spells the dot, `.git` unless one spells it whole.
 *
 * Pure. Patterns are those that `isPathPattern` knows.
 *
 * @see kernel-specs/fragment.md F-62 to F-66
 */
export function pathLimits(stated: Partial<Record<LimitedAccess, StatedPaths>>): PathLimits {
  const rules = { read: rulesOf(stated.read), write: rulesOf(stated.write), delete: rulesOf(stated.delete) };
  const judge = (access: PathAccess, path: string): boolean => {
    if (path === '.') {
      return true;
    }
    const segments = path.split('/');
    const { allow, deny } = rules[access === 'directory' ? 'write' : access];
    const inside = allow.some((one) => (access === 'directory' ? one.reaches(segments) : one.matches(segments)));
    return inside && !deny.some((one) => one.covers(segments));
  };
  const judged = new Map<string, boolean>();
  return Object.freeze<PathLimits>({
    permits(access, path) {
      // A path is asked about when it is planned and again when it is performed.
      const question = `${access} ${path}`;
      let answer = judged.get(question);
      if (answer === undefined) {
        answer = judge(access, path);
        if (judged.size >= JUDGED_MAX) judged.clear();
        if (question.length <= JUDGED_LENGTH_MAX) judged.set(question, answer);
      }
      return answer;
    },
    json: (kinds) =>
      Object.fromEntries(
        kinds.flatMap((kind): [string, JsonObject][] => {
          const { allow, deny } = stated[kind] ?? {};
          const lists = { ...(allow === undefined ? {} : { allow }), ...(deny === undefined ? {} : { deny }) };
          return allow === undefined && deny === undefined ? [] : [[kind, lists]];
        }),
      ),
  });
}

/** Answers kept, so that what a fragment repeats is judged once. */
const JUDGED_MAX = 4096;
const JUDGED_LENGTH_MAX = 512;

/** What holds when a profile states no paths. */
export const DEFAULT_PATH_LIMITS: PathLimits = pathLimits({});

interface Rules {
  readonly allow: readonly PathPattern[];
  readonly deny: readonly PathPattern[];
}

function rulesOf({ allow = ['**'], deny = [] }: StatedPaths = {}): Rules {
  return {
    allow: allow.map((text) => pathPattern(text, 'exact')),
    deny: deny.map((text) => pathPattern(text, 'folded')),
  };
}

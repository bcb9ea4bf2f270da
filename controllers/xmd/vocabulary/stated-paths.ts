import { profileRefused } from '../errors.ts';
import type { LimitedAccess, PathLimits, StatedPaths } from '../values/path-limits.ts';
import { DEFAULT_PATH_LIMITS, pathLimits } from '../values/path-limits.ts';
import { isPathPattern } from '../values/path-pattern.ts';

const KINDS: readonly LimitedAccess[] = ['read', 'write', 'delete'];

/**
 * Reads the path limits that a profile states, apart for reading, writing and deleting.
 *
 * Pure. Each list is brought to one order, each pattern once.
 *
 * @throws InvokeError ERR_XMD_PROFILE
 * @see kernel-specs/fragment.md F-62
 */
export function readPathLimits(value: unknown): PathLimits {
  if (value === undefined) {
    return DEFAULT_PATH_LIMITS;
  }
  const members = membersOf(value, KINDS, 'paths');
  const kinds = [...members].map(([kind, stated]): [string, StatedPaths] => [kind, readKind(stated, kind)]);
  return pathLimits(Object.fromEntries(kinds));
}

function readKind(value: unknown, kind: string): StatedPaths {
  const members = membersOf(value, ['allow', 'deny'], `paths.${kind}`);
  return Object.fromEntries(
    [...members].map(([list, patterns]) => [list, readPatterns(patterns, `paths.${kind}.${list}`)]),
  );
}

function readPatterns(value: unknown, at: string): readonly string[] {
  if (!Array.isArray(value)) {
    throw pathsRefused(`${at} is not a list`, 'State patterns as a list of strings.');
  }
  const patterns = value.map((pattern: unknown) => {
    if (typeof pattern !== 'string' || !isPathPattern(pattern)) {
      throw pathsRefused(
        `${at} has a pattern that is none`,
        'State relative POSIX paths in which * stands for characters of one name and ** for any folders.',
      );
    }
    return pattern;
  });
  return Object.freeze([...new Set(patterns)].toSorted());
}

function membersOf(value: unknown, known: readonly string[], at: string): ReadonlyMap<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw pathsRefused(`${at} is not an object`, `State ${at} with ${known.join(', ')}.`);
  }
  const members = new Map<string, unknown>(Object.entries(value));
  const unknown = [...members.keys()].find((name) => !known.includes(name));
  if (unknown !== undefined) {
    throw pathsRefused(`${at} has the unknown member "${unknown}"`, `Use one of ${known.join(', ')}.`);
  }
  return members;
}

function pathsRefused(found: string, hint: string): Error {
  return profileRefused('paths', found, hint);
}

import { describe, expect, it } from 'vitest';
import { DEFAULT_PATH_LIMITS, pathLimits } from '../../../../controllers/xmd/values/path-limits.ts';
import { isPathPattern, pathPattern } from '../../../../controllers/xmd/values/path-pattern.ts';

describe('path limits', () => {
  it('F-62 a folder on the way may be made, and not read, written or deleted', () => {
    const lists = { allow: ['src/deep/a.txt'] };
    const limits = pathLimits({ read: lists, write: lists, delete: lists });
    for (const path of ['src', 'src/deep']) {
      expect(limits.permits('directory', path)).toBe(true);
      for (const access of ['read', 'write', 'delete'] as const) expect(limits.permits(access, path)).toBe(false);
    }
    for (const access of ['read', 'write', 'delete', 'directory'] as const) {
      expect(limits.permits(access, 'src/deep/a.txt')).toBe(true);
      expect(limits.permits(access, 'other')).toBe(false);
      expect(limits.permits(access, '.')).toBe(true);
    }
  });

  it('F-63 making a folder is writing, and what is denied covers all below it', () => {
    const limits = pathLimits({ read: { deny: ['r'] }, write: { deny: ['w'] } });
    const places = ['r', 'r/x', 'w', 'w/x', 'rx'];
    expect(places.map((path) => limits.permits('read', path))).toEqual([false, false, true, true, true]);
    expect(places.map((path) => limits.permits('write', path))).toEqual([true, true, false, false, true]);
    expect(places.map((path) => limits.permits('directory', path))).toEqual([true, true, false, false, true]);
    expect(places.every((path) => limits.permits('delete', path))).toBe(true);
  });

  it('F-64 a wildcard that allows stands for no name with a dot, one that denies stands for every name', () => {
    const limits = pathLimits({ read: { allow: ['*', 'b/**'] }, write: { deny: ['*'] } });
    const places = ['a', '.a', 'b/.c', 'b/c', '.git', 'A'];
    expect(places.map((path) => limits.permits('read', path))).toEqual([true, false, false, true, false, true]);
    expect(places.every((path) => !limits.permits('write', path))).toBe(true);
    const spelled = pathLimits({ read: { allow: ['.*', 'a', '.git'] }, write: { deny: ['a'] } });
    expect(places.map((path) => spelled.permits('read', path))).toEqual([true, true, false, false, true, false]);
    expect(['a', 'A', 'a\u200b', 'b'].map((path) => spelled.permits('write', path))).toEqual([
      false,
      false,
      false,
      true,
    ]);
  });

  it('F-63 what allows is compared as it is written, what denies as the least particular file system would', () => {
    expect(['A', 'a'].map((name) => pathPattern('A', 'exact').matches([name]))).toEqual([true, false]);
    expect(['A', 'a'].map((name) => pathPattern('A', 'folded').matches([name]))).toEqual([true, true]);
  });

  it('F-63 a pattern has at most 4096 units', () => {
    expect(['a'.repeat(4096), 'a'.repeat(4097)].map((text) => isPathPattern(text))).toEqual([true, false]);
  });

  it('F-65 says what was stated of the kinds that are asked for, and nothing else', () => {
    const limits = pathLimits({ read: { allow: ['a'] }, write: { deny: ['b'] }, delete: {} });
    expect(limits.json(['read', 'write', 'delete'])).toEqual({ read: { allow: ['a'] }, write: { deny: ['b'] } });
    expect(limits.json(['write'])).toEqual({ write: { deny: ['b'] } });
    expect(DEFAULT_PATH_LIMITS.json(['read', 'write', 'delete'])).toEqual({});
  });
});

describe('a name with more than one wildcard', () => {
  it.each([
    ['x*a*a*y', 'xay', false],
    ['x*a*a*y', 'xaay', true],
    ['x*ab*ab*y', 'xababy', true],
    ['x*ab*ab*y', 'xaby', false],
    ['*a*a*', 'a', false],
    ['*a*a*', 'aa', true],
    ['a*a', 'a', false],
    ['a*a', 'aa', true],
    ['a*b*b', 'ab', false],
    ['a*b*b', 'abb', true],
    ['a*bc*c', 'abc', false],
    ['a*bc*c', 'abcc', true],
    ['*', '', true],
  ])('F-63 %j and %j: %s', (pattern, name, expected) => {
    expect(pathPattern(pattern, 'exact').matches([name])).toBe(expected);
    expect(pathPattern(pattern, 'folded').matches([name.toUpperCase()])).toBe(expected);
  });
});

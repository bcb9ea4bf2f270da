import { assert, constantFrom, property, string } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { matchingFiles } from '../../../../kernel/manifest/module-files.ts';
import { fitsWildcard } from '../../../../kernel/manifest/wildcard.ts';
import { folder } from './folder.ts';

/** The same by a regular expression, which is good for short texts alone. */
function naive(pattern: string, name: string): boolean {
  const source = pattern.replaceAll('.', '\\.').replaceAll('*', '.*').replaceAll('?', '.');
  return new RegExp(`^${pattern.startsWith('.') ? '' : '(?!\\.)'}${source}$`).test(name);
}

describe('M-06 names that an include matches', () => {
  it('M-06 agrees with a regular expression for every short pattern and name', () => {
    const text = (letters: readonly string[]) => string({ unit: constantFrom(...letters), maxLength: 7 });
    const agree = property(text(['a', 'b', '.', '*', '?']), text(['a', 'b', '.']), (pattern, name) => {
      expect(fitsWildcard(pattern, name)).toBe(naive(pattern, name));
    });
    assert(agree, { numRuns: 10_000 });
  });

  it('M-06 a pattern of many stars, and folders below many of them, are searched once', () => {
    expect(fitsWildcard(`${'a*'.repeat(200)}b`, 'a'.repeat(20_000))).toBe(false);
    expect(fitsWildcard(`${'a*'.repeat(200)}a`, 'a'.repeat(20_000))).toBe(true);
    const deep = Array.from({ length: 40 }, () => 'd').join('/');
    const root = folder({ [`${deep}/x.yaml`]: '' });
    expect(matchingFiles(root, `${'**/d/'.repeat(16)}*.yml`)).toEqual([]);
    expect(matchingFiles(root, `${'**/d/'.repeat(16)}*.yaml`)).toEqual([`${root}/${deep}/x.yaml`]);
  });

  it('M-06 stars reach no folder of packages, nothing that begins with a dot, and nothing outside', () => {
    const root = folder({
      'a/x.yaml': '',
      'node_modules/x.yaml': '',
      '.git/x.yaml': '',
      'a/.x.yaml': '',
      'y.yaml': '',
    });
    expect(matchingFiles(root, '**/*.yaml')).toEqual([`${root}/a/x.yaml`, `${root}/y.yaml`]);
    expect(matchingFiles(root, '.git/*.yaml')).toEqual([`${root}/.git/x.yaml`]);
    expect(matchingFiles(`${root}/a`, '../*.yaml')).toEqual([]);
  });
});

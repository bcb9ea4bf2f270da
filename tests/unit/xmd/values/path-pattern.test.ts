import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isPathPattern, pathPattern } from '../../../../controllers/xmd/values/path-pattern.ts';

const matches = (pattern: string, path: string) => pathPattern(pattern, 'exact').matches(path.split('/'));

describe('a pattern', () => {
  it.each([
    ['a.md', ['a.md'], ['b.md', 'a.md/b', 'x/a.md', 'A.md', 'aXmd']],
    ['*.md', ['a.md', 'a.b.md', '.md'.slice(1) + '.md'], ['a.mdx', 'x/a.md', '.md', '.a.md', 'a']],
    ['a*b', ['ab', 'axb', 'abb'], ['a', 'b', 'ba', 'a/b', 'axbx']],
    ['a*b*c', ['abc', 'axbxc', 'abbcc'], ['ac', 'acb', 'abcd']],
    ['aba*aba', ['abaaba', 'abaxaba'], ['aba', 'ababa']],
    ['*', ['a', 'a b', 'é'], ['a/b', '.a']],
    ['docs/*', ['docs/a'], ['docs', 'docs/a/b', 'docs/.a']],
    ['docs/**', ['docs', 'docs/a', 'docs/a/b'], ['doc', 'docsx', 'x/docs', 'docs/.a', 'docs/a/.b/c']],
    ['**', ['a', 'a/b/c'], ['.a', 'a/.b', 'a/.b/c']],
    ['**/*.md', ['a.md', 'x/a.md', 'x/y/a.md'], ['a', 'x/a', 'x/.a.md', '.x/a.md']],
    ['a/**/b', ['a/b', 'a/x/b', 'a/x/y/b'], ['a', 'b', 'a/b/c', 'xa/b']],
    ['a/**/**/b', ['a/b', 'a/x/y/b'], ['a/x']],
    ['.github/**', ['.github', '.github/w/a.yml'], ['github/a', '.githubx', '.github/.x']],
    ['**/.env', ['.env', 'a/.env'], ['a/.env.local', 'env']],
    ['.*', ['.env', '.gitignore'], ['.git', 'a', 'a/.env']],
    ['.git*', ['.gitignore', '.github'], ['.git', '.GIT', '.g\u200cit']],
    ['.git/**', ['.git', '.git/hooks/a'], ['.git/.x', '.GIT/a']],
  ] as const)('F-63 %s', (pattern, inside, outside) => {
    expect(inside.filter((path) => !matches(pattern, path))).toEqual([]);
    expect(outside.filter((path) => matches(pattern, path))).toEqual([]);
  });

  it.each([
    '',
    '/',
    '/a',
    'a/',
    'a//b',
    '.',
    './a',
    '..',
    '../a',
    'a/..',
    'a**',
    '**a',
    'a/**b/c',
    '***',
    'a?',
    '[a]',
    '{a,b}',
    '!a',
    'a\\*',
    'a\nb',
    'a'.repeat(4_097),
  ])('F-63 is not %j', (text) => {
    expect(isPathPattern(text)).toBe(false);
    expect(isPathPattern('a')).toBe(true);
  });

  it('F-63 reaches what lies on the way to what it names, and covers what lies below', () => {
    const one = pathPattern('src/*.md', 'exact');
    expect(['src', 'lib', 'src/a', 'src/a.md', 'src/a.md/b'].map((path) => one.reaches(path.split('/')))).toEqual([
      true,
      false,
      false,
      true,
      false,
    ]);
    expect(['src', 'src/a.md', 'src/a.md/b', 'lib/a.md'].map((path) => one.covers(path.split('/')))).toEqual([
      false,
      true,
      true,
      false,
    ]);
  });

  it.each([
    ['secret', 'SECRET'],
    ['Secret', 'secret/a'],
    ['caf\u00e9', 'cafe\u0301/a'],
    ['secret', 'se\u200bcret'],
    ['secret', 'secret\ufe0f'],
    ['**/*.KEY', 'a/.b/c.key'],
    ['*', '.git'],
    ['\u212aey', 'key'],
  ])('F-65 %s covers %s when names are folded', (pattern, path) => {
    expect(pathPattern(pattern, 'folded').covers(path.split('/'))).toBe(true);
    expect(pathPattern(pattern, 'folded').covers(['other'])).toBe(pattern === '*');
  });

  it('F-63 agrees with a regular expression written for this test', () => {
    expect.hasAssertions();
    const segment = fc.string({ unit: fc.constantFrom('a', 'b', '.', '*'), minLength: 1, maxLength: 5 });
    const pattern = fc
      .array(fc.oneof(segment, fc.constant('**')), { minLength: 1, maxLength: 4 })
      .map((all) => all.join('/'));
    const path = fc
      .array(fc.string({ unit: fc.constantFrom('a', 'b', '.'), minLength: 1, maxLength: 5 }), {
        minLength: 1,
        maxLength: 5,
      })
      .map((all) => all.join('/'));
    fc.assert(
      fc.property(pattern.filter(isPathPattern), path, (text, candidate) => {
        const source = text
          .split('/')
          .map((step) =>
            step === '**'
              ? '(?:/[^/.][^/]*)*'
              : `/${step.startsWith('.') ? '' : '(?!\\.)'}${step.replaceAll('.', '\\.').replaceAll('*', '[^/]*')}`,
          )
          .join('');
        expect(matches(text, candidate)).toBe(new RegExp(`^${source}$`).test(`/${candidate}`));
      }),
      { numRuns: 5_000 },
    );
  });

  it('F-63 does not backtrack', () => {
    const name = 'a'.repeat(4_000);
    const start = performance.now();
    expect(matches(`${'*a'.repeat(1_000)}*b`, name)).toBe(false);
    expect(matches(`${'**/'.repeat(200)}b`, Array.from({ length: 250 }, () => 'a').join('/'))).toBe(false);
    expect(matches(`${'**/*/'.repeat(100)}b`, Array.from({ length: 250 }, () => 'a').join('/'))).toBe(false);
    expect(performance.now() - start).toBeLessThan(5_000);
  });
});

it('F-63 an exclamation mark means itself behind the first character', () => {
  expect([isPathPattern('a!b'), isPathPattern('!ab')]).toEqual([true, false]);
  expect(pathPattern('a!b', 'exact').matches(['a!b'])).toBe(true);
});

import { assert, constantFrom, letrec, oneof, property, string, tuple } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Pattern, replaceAll } from '../../../../kernel/cel/pattern/pattern.ts';

const found = (source: string, text: string, flags = ''): string[] | undefined => {
  const compiled = new Pattern(source, flags);
  const slots = compiled.find(text);
  if (slots === undefined) return undefined;
  return Array.from({ length: compiled.groups + 1 }, (_, group) => {
    const start = slots[group * 2] ?? -1;
    return start < 0 ? '' : text.slice(start, slots[group * 2 + 1]);
  });
};

describe('C-40 patterns match as RE2 does', () => {
  it.each([
    ['a+', 'baac', ['aa']],
    ['a+?', 'baac', ['a']],
    ['^a$', 'a', ['a']],
    ['(a|ab)(c|bcd)', 'abcd', ['abcd', 'a', 'bcd']],
    ['(?i)HELLO', 'say hello', ['hello']],
    ['a(?i:B)c', 'aBc abc', ['aBc']],
    ['[^\\d\\s]+', '12 ab3', ['ab']],
    ['[]a]+', 'x]a]', [']a]']],
    ['[a-c-]+', 'x-ab', ['-ab']],
    ['\\bfoo\\b', 'a foo.', ['foo']],
    ['(?P<year>\\d{4})-(?<month>\\d{2})', 'on 2026-03-01', ['2026-03', '2026', '03']],
    ['x{2,3}', 'xxxx', ['xxx']],
    ['x{2,3}?', 'xxxx', ['xx']],
    ['(?m)^b', 'a\nb', ['b']],
    ['(?s)a.b', 'a\nb', ['a\nb']],
    ['\\p{L}+', '1 Grüße', ['Grüße']],
    ['[[:alpha:]]+', '12abc', ['abc']],
    ['^\\x41\\x{1F600}$', 'A\u{1F600}', ['A\u{1F600}']],
    ['^.$', '\u{1F600}', ['\u{1F600}']],
    ['(a*)*', 'b', ['', '']],
    ['a{', 'a{', ['a{']],
  ])('C-40 %s in %j', (source, text, expected) => {
    expect(found(source, text)).toEqual(expected);
  });

  it('C-40 what does not match is undefined', () => {
    expect(found('^a.c$', 'a\nc')).toBeUndefined();
    expect(found('foo', 'fo')).toBeUndefined();
  });

  it.each([
    '(a)\\1',
    '(?=a)',
    '(?<!a)b',
    'a**',
    '(',
    ')',
    '[a',
    'a\\',
    '*a',
    'a{2,1}',
    'a{1001}',
    '[b-a]',
    '\\q',
    'a++',
  ])('C-41 %s is refused', (source) => {
    expect(() => new Pattern(source, '')).toThrow(/Invalid regular expression/);
  });

  it('C-40 agrees with the leftmost-first matcher of the host on random patterns', () => {
    const atom = constantFrom('a', 'b', 'c', '.', '[ab]', '[^a]', 'a|b', '^', '$', '\\b');
    const source = letrec<{ tree: string }>((tie) => ({
      tree: oneof(
        { maxDepth: 4 },
        atom,
        tuple(tie('tree'), tie('tree')).map(([a, b]) => `(?:${a})(${b})`),
        tuple(tie('tree'), tie('tree')).map(([a, b]) => `(?:${a}|${b})`),
        tuple(constantFrom('a', 'b', 'ab', '[bc]'), constantFrom('*', '+', '?', '*?', '{1,2}')).map(
          ([a, q]) => `(?:${a})${q}`,
        ),
      ),
    })).tree;
    assert(
      property(source, string({ unit: constantFrom('a', 'b', 'c', '\n'), maxLength: 12 }), (pattern, text) => {
        const expected = new RegExp(pattern, 'u').exec(text);
        expect(found(pattern, text)).toEqual(expected === null ? undefined : Array.from(expected, (one) => one ?? ''));
      }),
      { numRuns: 2000 },
    );
  });

  it('C-42 work grows with the text, not exponentially with the pattern', () => {
    const text = 'a'.repeat(20_000);
    for (const source of ['^(a+)+$', '^(a|a)*b', '(a*)*b', '(x+x+)+y', '^(([a-z])+.)+[A-Z]([a-z])+$']) {
      expect(new Pattern(source, '').find(`${text}!`)).toBeUndefined();
    }
  });

  it('C-42 a search whose work is out of proportion is refused, and a usual one is not', () => {
    const slow = new Pattern('a.{0,900}b|a', '');
    expect(() => replaceAll('a'.repeat(100_000), slow, '')).toThrow(/too long for this pattern/);
    expect(replaceAll('a'.repeat(1_000), new Pattern('a', ''), 'b')).toBe('b'.repeat(1_000));
  });

  it('C-40 replaces with groups, names and literal dollars', () => {
    expect(replaceAll('2026-03', new Pattern('(?P<y>\\d+)-(\\d+)', ''), '$2/${y} $$1 \\1')).toBe('03/2026 $1 2026');
    expect(replaceAll('ab', new Pattern('', ''), '-')).toBe('-a-b-');
  });
});

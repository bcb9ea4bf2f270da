import { describe, expect, it } from 'vitest';
import { codeOf, isInvokeError } from '../../../../sdk/index.ts';
import { compileCel, CelSyntaxError } from '../../../../kernel/cel/expression.ts';

const AT = { file: '/m/telo.yaml', line: 7, column: 11 };
const MEGABYTE = 1_000_000;

function outcome(source: string, scope: Record<string, unknown> = {}): unknown {
  try {
    return compileCel(source, AT).evaluate(scope);
  } catch (error) {
    return isInvokeError(error) ? error : { thrown: codeOf(error), message: String(error) };
  }
}

/** `cel.bind(a0, seed, cel.bind(a1, next(a0), ... last))`: each variable is made of the one before. */
function chain(depth: number, seed: string, next: (name: string) => string, last: (name: string) => string): string {
  let source = last(`a${depth}`);
  for (let at = depth; at > 0; at -= 1) source = `cel.bind(a${at}, ${next(`a${at - 1}`)}, ${source})`;
  return `cel.bind(a0, ${seed}, ${source})`;
}

const doubled = (name: string): string => `[${name}, ${name}]`;
const LIST = Array.from({ length: 3000 }, (_, index) => ({ index }));

describe('C-50 an evaluation has a budget', () => {
  it.each<[string, string, Record<string, unknown>?]>([
    ['nested map', 'range(10000).map(a, range(10000).map(b, a + b)).size()'],
    ['nested filter', 'range(10000).filter(a, range(10000).filter(b, b == a).size() == 1).size()'],
    ['nested all', 'range(10000).all(a, range(10000).all(b, a + b >= 0))'],
    ['nested exists', 'range(10000).exists(a, range(10000).exists(b, a + b < 0))'],
    ['nested exists_one', 'range(10000).exists_one(a, range(10000).exists_one(b, a + b < 0))'],
    ['four deep', 'range(100).all(a, range(100).all(b, range(100).all(c, range(100).all(d, true))))'],
    ['held back by ||', 'range(10000).all(a, range(10000).all(b, a + b >= 0)) || true'],
    ['held back by exists', '[1, 2].exists(x, x == 2 || range(10000).all(a, range(10000).all(b, a + b >= 0)))'],
    ['membership in a loop', 'l.filter(x, x in l).size()', { l: Array.from({ length: 100_000 }, (_, i) => -i) }],
    ['comparing in a loop', 'l.filter(x, l == m).size()', { l: [...LIST], m: [...LIST, 1] }],
    ['distinct of maps', 'distinct(l)', { l: Array.from({ length: 100_000 }, (_, index) => ({ index })) }],
    ['searching a text for one that nearly fits', 's.contains(p)', nearMiss()],
    ['replacing one that nearly fits', 'replace(s, p, "")', nearMiss()],
    ['compiling patterns', 'range(100000).map(i, "b".matches("a{1000}" + string(i)))'],
    ['searching in a loop', 'range(10000).map(i, s.matches("(a|b)*c"))', { s: 'ab'.repeat(50_000) }],
    [
      'lists that double',
      chain(
        40,
        '[1, 2]',
        (a) => `${a} + ${a}`,
        (a) => `${a}.size()`,
      ),
    ],
    [
      'texts that double',
      chain(
        40,
        '"ab"',
        (a) => `${a} + ${a}`,
        (a) => `${a}.size()`,
      ),
    ],
    ['flattening a square', 'flatten(l.map(x, l)).size()', { l: Array.from({ length: 5000 }, () => 1) }],
    ['join with a long separator', 'join(l, s).size()', { l: [...LIST.keys()], s: 's'.repeat(100_000) }],
    ['join as a method', 'l.join(s).size()', { l: LIST.map(() => 'x'), s: 's'.repeat(100_000) }],
    ['replace that grows', 'replace(s, "a", s).size()', { s: 'a'.repeat(20_000) }],
    ['replace of nothing', 'replace(s, "", s).size()', { s: 'a'.repeat(20_000) }],
    ['replace by a pattern', 'regexReplace(s, "a", s).size()', { s: 'a'.repeat(20_000) }],
    ['split into characters', 'split(s, "").size()', { s: 'a'.repeat(2 * MEGABYTE) }],
    ['json of shared values', chain(40, '[1]', doubled, (a) => `json(${a}).size()`)],
    ['equality of shared values', `${chain(40, '[1]', doubled, (a) => a)} == ${chain(40, '[1]', doubled, (a) => a)}`],
    ['a result of shared values', chain(40, '[1]', doubled, (a) => a)],
    ['a result in which one text stands often', 'range(1000).map(i, s)', { s: 's'.repeat(MEGABYTE) }],
  ])('C-50 %s is refused, with its place', (_, source, scope) => {
    expect(outcome(source, scope)).toMatchObject({
      code: 'ERR_CEL_LIMIT',
      data: { line: 7, column: 11, hint: expect.any(String) },
    });
  });

  it.each<[string, unknown, Record<string, unknown>?]>([
    ['range(1000).map(a, range(1000).size()).size()', 1000n],
    ['range(500).all(a, range(500).all(b, a + b >= 0))', true],
    ['range(1000000).map(i, i * 2).size()', 1_000_000n],
    ['l.filter(x, x in l).size()', 1000n, { l: Array.from({ length: 1000 }, (_, index) => -index) }],
    ['s.contains("needle")', true, { s: `${'hay'.repeat(MEGABYTE)}needle` }],
    ['split(s, "\\n").size()', 100_001n, { s: 'line\n'.repeat(100_000) }],
    ['replace(s, "a", "<a>").size()', 300_000n, { s: 'a'.repeat(100_000) }],
    ['split(s, "\\n").filter(x, x.matches("^l[a-z]+ \\\\d+$")).size()', 5000n, { s: 'line 12\n'.repeat(5000) }],
    ['distinct(l).size()', 1000n, { l: Array.from({ length: 1000 }, (_, index) => ({ index })) }],
    ['l == m', true, { l: LIST, m: structuredClone(LIST) }],
    ['base64Decode(base64Encode(s)) == s', true, { s: 's'.repeat(MEGABYTE) }],
    ['sort(range(100000))[0]', 0n],
  ])('C-50 ordinary work fits: %s', (source, expected, scope) => {
    expect(outcome(source, scope)).toEqual(expected);
  });

  it('C-50 the offset is that of the macro or call at fault', () => {
    expect(outcome('1 + range(10000).map(a, range(10000).map(b, b)).size()')).toMatchObject({ data: { offset: 24 } });
    expect(outcome('true ? replace(s, "a", s) : ""', { s: 'a'.repeat(20_000) })).toMatchObject({ data: { offset: 7 } });
  });

  it('C-50 a value that was there before may be larger than what an expression may make', () => {
    const big = Array.from({ length: 1_500_000 }, () => 0);
    expect(outcome('steps.read.result', { steps: { read: { result: big } } })).toBe(big);
  });

  it('C-50 one evaluation does not pay for another', () => {
    const expression = compileCel('range(1000000).size()', AT);
    for (let time = 0; time < 8; time += 1) expect(expression.evaluate({})).toBe(1_000_000n);
  });
});

function nearMiss(): Record<string, unknown> {
  const half = 'a'.repeat(MEGABYTE / 4);
  return { s: 'a'.repeat(MEGABYTE), p: `${half}b${half}` };
}

describe('C-51 an expression has a bounded depth', () => {
  it.each([
    ['a chain of additions', Array.from({ length: 8000 }, () => 'a').join('+')],
    ['parentheses', `${'('.repeat(10_000)}a${')'.repeat(10_000)}`],
    ['negations', `${'!'.repeat(10_000)}a`],
    ['members', `a${'.b'.repeat(10_000)}`],
    ['indexes', `a${'[0]'.repeat(10_000)}`],
    ['choices', `${'a ? b : '.repeat(10_000)}c`],
    ['lists', `${'['.repeat(10_000)}${']'.repeat(10_000)}`],
    ['maps', `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`],
    ['calls', `${'size('.repeat(10_000)}a${')'.repeat(10_000)}`],
    ['alternatives', Array.from({ length: 8000 }, () => 'a').join(' || ')],
  ])('C-51 %s of 10,000 do not parse', (_, source) => {
    expect(() => compileCel(source, AT)).toThrow(CelSyntaxError);
  });

  it('C-51 a hundred of each do', () => {
    expect(outcome(Array.from({ length: 100 }, () => 'a').join('+'), { a: 1n })).toBe(100n);
    expect(outcome(`${'!'.repeat(100)}a`, { a: true })).toBe(true);
    expect(outcome(`${'('.repeat(100)}a${')'.repeat(100)}`, { a: 1 })).toBe(1);
  });

  it('C-51 a value that is nested too deep is refused where it is walked', () => {
    const source = 'json(parseJson(s))';
    expect(outcome(source, { s: `${'['.repeat(100)}${']'.repeat(100)}` })).toHaveLength(200);
    expect(outcome('[parseJson(s)]', { s: `${'['.repeat(5000)}${']'.repeat(5000)}` })).toMatchObject({
      code: 'ERR_CEL_LIMIT',
    });
  });
});

describe('C-42 hostile patterns', () => {
  it.each([
    '^(a+)+$',
    '^(a|a)*$',
    '^(a|aa)+$',
    '(.*a){20}$',
    '(a*)*b',
    '^(([a-z])+.)+[A-Z]([a-z])+$',
    '((a*)*)*b',
    '^(?:a?){25}a{25}$',
  ])('C-42 %s answers for fifty characters and for many, or says that the text is too long', (source) => {
    expect(outcome('s.matches(p)', { s: `${'a'.repeat(50)}!`, p: source })).toBe(false);
    const long = outcome('s.matches(p)', { s: `${'a'.repeat(MEGABYTE)}!`, p: source });
    expect(isInvokeError(long) ? [long.code, long.data] : long).toSatisfy(
      (answer) => answer === false || JSON.stringify(answer).startsWith('["ERR_CEL_LIMIT",{"limit":"search"'),
    );
  });

  it('C-42 a usual pattern searches a megabyte', () => {
    expect(outcome('s.matches("needle|pin")', { s: `${'hay '.repeat(MEGABYTE / 4)}needle` })).toBe(true);
    expect(outcome('s.matches("^[a-z ]+$")', { s: 'hay '.repeat(MEGABYTE / 4) })).toBe(true);
  });

  it('C-42 a repetition of nothing cannot hang the reading of a pattern', () => {
    expect(outcome('s.matches(p)', { s: 'a', p: '(?:(?:(?:(?:(?:){1000}){1000}){1000}){1000}){1000}' })).toMatchObject({
      message: expect.stringContaining('too large'),
    });
    expect(outcome('s.matches(p)', { s: 'a', p: '(?:){3}a' })).toBe(true);
  });
});

const CHAINS = [
  'constructor',
  'toString',
  'hasOwnProperty',
  'isPrototypeOf',
  'valueOf',
  '__defineGetter__',
  'm.constructor',
  'm["constructor"]',
  'm.constructor.constructor',
  'm["constructor"]["constructor"]',
  'm.toString',
  'm["toString"]',
  'm["__proto__"]',
  'm["__proto__"]["constructor"]',
  'm.hasOwnProperty',
  'm[k]',
  'm[k][k]',
  'm[k].prototype',
  'l.constructor',
  'l.map',
  'l["length"]',
  'l[k]',
  's.constructor',
  's.length',
  's[k]',
  'n.constructor',
  'b.constructor',
  'd.constructor',
  'd["getTime"]',
  'bytes("a").buffer',
  'bytes("a").constructor',
  'duration("1s").constructor',
  'm.?constructor.orValue(null).prototype',
  '[m].map(constructor, constructor.constructor)',
  '[m].map(toString, toString["toString"])',
  '[1].map(x, valueOf)',
  'cel.bind(constructor, m, constructor.constructor)',
  'parseJson("{}").constructor',
  'regexGroups("a", "(?P<constructor>a)").toString',
  'type(m).constructor',
  'cel.constructor',
  'google.constructor',
];

describe('C-03 no chain reaches a host object', () => {
  it.each(CHAINS)('C-03 %s is missing', (source) => {
    const scope = { m: { a: 1 }, l: [1], s: 'text', n: 1, b: 1n, d: new Date(0), k: 'constructor' };
    expect(outcome(source, scope)).toMatchObject({
      message: expect.stringMatching(/Missing|No such|no such|Unknown|not found|cannot|Unsupported/),
    });
  });

  it('C-03 a map with a key named constructor is refused whole, and the others are not', () => {
    expect(outcome('m.a', { m: { constructor: 'mine', a: 1 } })).toMatchObject({
      message: expect.stringContaining('Unsupported type'),
    });
    expect(outcome('m.a', { m: { constructors: 'mine', a: 1 } })).toBe(1);
  });

  it('C-03 the same names hold what the author put there', () => {
    expect(outcome('m.toString + m["valueOf"]', { m: { toString: 'mine', valueOf: 'own' } })).toBe('mineown');
    expect(outcome('constructor.a', { constructor: { a: 1 } })).toBe(1);
    expect(outcome('[1].map(constructor, constructor + 1)')).toEqual([2n]);
    expect(outcome('[1].map(toString, toString)')).toEqual([1n]);
    expect(outcome('cel.bind(valueOf, 2, valueOf + 1)')).toBe(3n);
  });
});

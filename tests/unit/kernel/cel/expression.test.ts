import { describe, expect, it } from 'vitest';
import { compileCel, compileTemplate, CelSyntaxError } from '../../../../kernel/cel/expression.ts';

const AT = { file: '/m/telo.yaml', line: 1, column: 1 };
const SCOPE = { x: 3, b: 3n, m: { k: 1 }, n: null, s: 'ab', l: [1, 2], steps: { a: { result: { total: 2 } } } };
const evaluate = (source: string, scope: Record<string, unknown> = SCOPE): unknown =>
  compileCel(source, AT).evaluate(scope);
const failure = (source: string, scope: Record<string, unknown> = SCOPE): string => {
  try {
    evaluate(source, scope);
  } catch (error) {
    if (error instanceof Error) return error.message;
    throw error;
  }
  throw new Error(`${source} did not fail`);
};

const offset = (make: () => unknown): number => {
  try {
    make();
  } catch (error) {
    if (error instanceof CelSyntaxError) return error.offset;
    throw error;
  }
  return -1;
};

const template = (text: string): unknown => compileTemplate(text, AT).evaluate({ n: 2, nothing: null, m: { a: 1 } });

describe('C-01 values', () => {
  it.each<[string, unknown]>([
    ['1+2', 3n],
    ['b+1', 4n],
    ['5/2', 2n],
    ['-5/2', -2n],
    ['5%2', 1n],
    ['x==3', true],
    ['x==b', true],
    ['x<4', true],
    ['x<b', false],
    ['1.5<2', true],
    ['x in [3.0]', true],
    ['x=="3"', false],
    ['has(m.z)', false],
    ['m.?z.orValue(5)', 5n],
    ['m[?"z"].orValue(5)', 5n],
    ['m.?z', null],
    ['m.?k', 1],
    ['true||m.z==1', true],
    ['m.z==1||true', true],
    ['false&&m.z==1', false],
    ['true ? 1 : m.z', 1n],
    ['string(1.0)', '1'],
    ['int(2.9)', 2n],
    ['[1,2.0]', [1n, 2]],
    ['{"a":1,"b":2.0}', { a: 1n, b: 2 }],
    ['timestamp("2024-01-01T00:00:00Z")', new Date('2024-01-01T00:00:00Z')],
    ['string(duration("90s"))', '90s'],
    ['b"ab"', new Uint8Array([97, 98])],
    ['l.map(v, v * 2.0)', [2, 4]],
    ['l.exists(v, v > 1.0)', true],
    ['l.filter(v, v > 1.0)', [2]],
    ['"héllo".size()', 5n],
  ])('C-01 %s', (source, expected) => {
    expect(evaluate(source)).toEqual(expected);
  });
});

describe('C-02 failures', () => {
  it.each([
    ['x+1', 'no such overload: dyn<double> + int'],
    ['1==1.0', 'no such overload: int == double'],
    ['"a"+1', 'no such overload: string + int'],
    ['l[5]', 'No such key: index out of bounds, index 5 >= size 2'],
    ['int("7.5")', 'int() type error: cannot convert to int'],
    ['1/0', 'division by zero'],
    ['n.foo', 'No such key: foo'],
    ['has(zz.a)', 'Unknown variable: zz'],
    ['9223372036854775807+1', 'integer overflow: 9223372036854775808'],
  ])('C-02 %s', (source, message) => {
    expect(failure(source).split('\n')[0]).toBe(`Expression \${{ ${source} }} failed: ${message}`);
  });

  it('C-02 a missing key is named with those that are there', () => {
    expect(failure('steps.a.result.sum')).toBe(
      "Expression ${{ steps.a.result.sum }} failed: No such key: sum\nMissing key 'sum' in steps.a.result. Available: total",
    );
    expect(failure('steps["b"].result')).toContain("Missing key 'b' in steps. Available: a");
    expect(failure('n.foo')).toContain("Missing key 'foo' in n, which is null");
    expect(failure('zz')).toContain("No variable 'zz' here. Available: x, b, m, n, s, l, steps");
  });

  it('C-02 mixing a double and an int says what to write', () => {
    expect(failure('x + 1')).toContain('write the literal with a point (1.0)');
    expect(evaluate('x + 1.0')).toBe(4);
    expect(failure('"a" + 1')).not.toContain('with a point');
  });

  it('C-02 the cause is the engine’s own error', () => {
    expect(() => evaluate('m.z')).toThrow(expect.objectContaining({ cause: expect.any(Error) }));
  });
});

describe('C-03 nothing of the host is reachable', () => {
  it.each(['constructor', 'toString', 'hasOwnProperty', 'valueOf'])('C-03 %s is no variable', (name) => {
    expect(failure(name)).toContain(`Unknown variable: ${name}`);
    expect(evaluate(name, { [name]: 'mine' })).toBe('mine');
  });

  it('C-03 __proto__ does not parse, and members of prototypes are missing keys', () => {
    expect(() => compileCel('__proto__', AT)).toThrow(CelSyntaxError);
    for (const source of ['m.constructor', 'm.toString', 'm["__proto__"]', 's.length', 'l.map']) {
      expect(failure(source)).toMatch(/No such key/);
    }
  });

  it('C-03 a map literal cannot set a prototype, by a written or by a computed key', () => {
    expect(() => compileCel('{"__proto__": m}', AT)).toThrow('A map cannot have the key __proto__');
    expect(failure('{k: m}', { k: '__proto__', m: {} })).toContain('A map cannot have the key __proto__');
    expect(evaluate('{k: 1, "c": 2}', { k: 'proto' })).toEqual({ proto: 1n, c: 2n });
  });
});

describe('C-04 what an expression reads', () => {
  it('C-04 roots and member chains, without macro variables, types and what has() asks about', () => {
    const read = compileCel('steps.a.result.items.map(i, i.name + variables.suffix)[inputs.n]', AT);
    expect([...read.roots].toSorted()).toEqual(['inputs', 'steps', 'variables']);
    expect(read.reads).toContainEqual(['steps', 'a', 'result', 'items']);
    expect(compileCel('has(inputs.a.b) ? int(inputs.?c.orValue(1)) : 0', AT).reads).toEqual([
      ['inputs', 'a'],
      ['inputs'],
    ]);
    expect(compileCel('type(1) == int', AT).roots.size).toBe(0);
  });
});

describe('C-05 syntax errors', () => {
  it('C-05 carry the offset, in templates from the start of the string', () => {
    expect(offset(() => compileCel('1 + ', AT))).toBe(4);
    expect(offset(() => compileTemplate('ab ${{ 1 + }}', AT))).toBe(10);
    expect(offset(() => compileTemplate('ab ${{ 1 + 1', AT))).toBe(3);
    expect(offset(() => compileTemplate('ab ${{ 1 + 1 }}', AT))).toBe(-1);
  });
});

describe('C-06 templates', () => {
  it('C-06 one expression alone keeps its type; among text it becomes text', () => {
    expect(template('${{ m }}')).toEqual({ a: 1 });
    expect(template('${{ n }} of ${{ 1 + 2 }}')).toBe('2 of 3');
    expect(template('<${{ nothing }}>')).toBe('<>');
    expect(template(' ${{ n }}')).toBe(' 2');
  });
});

describe('C-07 added functions', () => {
  it.each<[string, unknown]>([
    ['join([1, "a", true], "-")', '1-a-true'],
    ['keys({"a": 1})', ['a']],
    ['values({"a": 1})', [1n]],
    ['distinct([1, 1, 1.0, "a", [1], [1]])', [1n, 'a', [1n]]],
    ['reverse([1, 2])', [2n, 1n]],
    ['flatten([[1], [2]])', [1n, 2n]],
    ['sort([2, 1.5, 1])', [1n, 1.5, 2n]],
    ['range(3)', [0n, 1n, 2n]],
    ['enumerate(["a"])', [{ index: 0n, value: 'a' }]],
    ['lower("AB") + upper("c") + trim(" d ")', 'abCd'],
    ['replace("a.b", ".", "$&")', 'a$&b'],
    ['split("a,b", ",")', ['a', 'b']],
    ['trimPrefix("v1", "v") + trimSuffix("a.md", ".md")', '1a'],
    ['slice("hello", 1, 3)', 'el'],
    ['slice([1, 2, 3], 1, 3)', [2n, 3n]],
    ['"a1b22".matches("\\\\d+")', true],
    ['"ab".matches("^(a+)+$")', false],
    ['regexReplace("a1b2", "\\\\d", "#")', 'a#b#'],
    ['regexExtract("v1.2", "v(\\\\d)")', '1'],
    ['regexExtract("x", "\\\\d")', null],
    ['regexExtractAll("a1b2", "\\\\d")', ['1', '2']],
    ['regexGroups("k=v", "(?P<key>\\\\w)=(?P<value>\\\\w)").value', 'v'],
    ['abs(-2)', 2n],
    ['floor(1.7) + ceil(1.2) + round(-2.5)', 0],
    ['max([1, 2.5])', 2.5],
    ['min([3, 2])', 2n],
    ['sum([1, 2])', 3n],
    ['sum([1, 2.5])', 3.5],
    ['avg([1, 2])', 1.5],
    ['json({"a": [1, 2.5, null]})', '{"a":[1,2.5,null]}'],
    ['json(9007199254740993)', '9007199254740993'],
    ['parseJson("{\\"a\\":1}").a', 1],
    ['base64Decode(base64Encode("hé"))', 'hé'],
    ['bytesToBase64(bytesFromBase64("AQI="))', 'AQI='],
    ['urlDecode(urlEncode("a b&c"))', 'a b&c'],
    ['sha256("")', 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'],
    ['md5("a")', '0cc175b9c0f1b6a831c399e269772661'],
    ['hmac("sha256", "k", "m").size()', 64n],
    ['default(null, 1)', 1n],
    ['coalesce([null, 2])', 2n],
    ['string(timestamp("2024-01-01T00:00:00Z"))', '2024-01-01T00:00:00.000Z'],
    ['int(timestamp("1970-01-01T00:00:01Z"))', 1n],
    ['uuidv5("www.example.com", "6ba7b810-9dad-11d1-80b4-00c04fd430c8")', '2ed6657d-e927-568b-95e1-2665a8aea6a2'],
    ['uuidv3("www.example.com", "6ba7b810-9dad-11d1-80b4-00c04fd430c8")', '5df41881-3aed-3515-88a7-2f4a814cf09e'],
    ['[uuidv1(), uuidv4(), uuidv6(), uuidv7()].map(u, uuidVersion(u))', [1n, 4n, 6n, 7n]],
    ['uuidValidate("x")', false],
    ['nowMillis() > 1700000000000 && nowSeconds() > 1700000000', true],
    ['today().matches("^\\\\d{4}-\\\\d{2}-\\\\d{2}$")', true],
    ['nowIso("Europe/Berlin").matches("[+]0[12]:00$")', true],
  ])('C-07 %s', (source, expected) => {
    expect(evaluate(source, {})).toEqual(expected);
  });

  it.each([
    'now()',
    'uuid()',
    'env.HOME',
    'range(-1)',
    'sort([1, "a"])',
    'min([])',
    'parseJson("{")',
    'base64Decode("?")',
  ])('C-07 %s fails', (source) => {
    expect(failure(source, {})).toContain('failed:');
  });

  it('C-07 the pattern of matches cannot hang', () => {
    expect(evaluate('s.matches("^(a+)+$")', { s: `${'a'.repeat(50)}!` })).toBe(false);
  });
});

describe('C-08 faults known before evaluation', () => {
  it('C-08 a function that does not exist and operands that never fit are faults; dynamic ones are not', () => {
    expect(compileCel('now()', AT).fault()).toContain('now');
    expect(compileCel('"a" + 1', AT).fault()).toContain('no such overload');
    expect(compileTemplate('${{ a }} ${{ uuid() }}', AT).fault()).toContain('uuid');
    const sound = compileCel('inputs.x + 1', AT);
    expect(sound.fault()).toBeUndefined();
    expect(sound.evaluate({ inputs: { x: 1n } })).toBe(2n);
  });
});

import { describe, expect, it } from 'vitest';
import { compileCel, CelSyntaxError } from '../../kernel/cel/expression.ts';
import { readDocuments } from '../../kernel/manifest/yaml-file.ts';

const AT = { file: '/m/telo.yaml', line: 1, column: 1 };

const evaluate = (source: string, scope: Record<string, unknown> = {}): unknown =>
  compileCel(source, AT).evaluate(scope);

async function diagnostics(text: string): Promise<string[]> {
  const found: string[] = [];
  await readDocuments({
    file: '/m/telo.yaml',
    text,
    report: ({ code }) => found.push(code),
    includeText: () => '',
  });
  return found;
}

describe('numbers', () => {
  it('reports objectstack#1928 an int and a double of JSON do not mix, and the failure says what to write', () => {
    expect(() => evaluate('n + 1', { n: 1 })).toThrow('write the literal with a point (1.0)');
    expect(evaluate('n + 1.0', { n: 1 })).toBe(2);
    expect(evaluate('n > 0 && n == 1', { n: 1 })).toBe(true);
    expect(evaluate('double(size(x)) * 1.5', { x: [1, 2] })).toBe(3);
  });
});

describe('reserved words', () => {
  it.each(['as', 'let', 'in', '__proto__'])('reports ChromeGG/cel-js#30 %s cannot be a bare name', (name) => {
    expect(() => evaluate(name, { [name]: 'mine' })).toThrow(CelSyntaxError);
  });

  it('reports ChromeGG/cel-js#30 null is null, whatever the scope holds', () => {
    expect(evaluate('null', { null: 'mine' })).toBeNull();
  });

  it.each(['in_stock', 'assign', 'letter', 'nullable', 'constructor'])('reports ChromeGG/cel-js#55 %s can', (name) => {
    expect(evaluate(name, { [name]: 'mine' })).toBe('mine');
  });
});

describe('escapes', () => {
  it('reports benthos#1592 a backslash is written twice in CEL, once in a raw text', () => {
    expect(() => compileCel('s.matches("\\d")', AT)).toThrow(CelSyntaxError);
    expect(evaluate('s.matches("\\\\d")', { s: '7' })).toBe(true);
    expect(evaluate('s.matches(r"\\d")', { s: '7' })).toBe(true);
  });

  it('reports actionlint#19 a text with an expression in it is only ever a value', () => {
    expect(evaluate('s + "!"', { s: '${{ 1 + 1 }}' })).toBe('${{ 1 + 1 }}!');
  });
});

describe('YAML', () => {
  const head = 'kind: Telo.Application\nmetadata: { name: a }\n';

  it('reports js-yaml#652 an alias bomb is a finding, and a few aliases are not', async () => {
    const bomb = Array.from(
      { length: 12 },
      (_, at) => `x${at}: &x${at} [${Array.from({ length: 9 }, () => (at === 0 ? '1' : `*x${at - 1}`)).join(', ')}]`,
    );
    expect(await diagnostics(`${head}${bomb.join('\n')}\n`)).not.toEqual([]);
    expect(await diagnostics(head)).toEqual([]);
  });

  it('reports js-yaml#738 a deep flow is a finding', async () => {
    expect(await diagnostics(`${head}x: ${'['.repeat(20_000)}${']'.repeat(20_000)}\n`)).not.toEqual([]);
  });

  it('reports pyyaml#897 a key that is there twice is a finding', async () => {
    expect(await diagnostics(`${head}x: 1\nx: 2\n`)).not.toEqual([]);
  });
});

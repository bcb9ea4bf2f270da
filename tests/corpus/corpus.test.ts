import { describe, expect, it } from 'vitest';
import { checkWidest, corpusCases, writtenFiles } from './corpus.ts';

describe('corpus of admitted fragments', () => {
  const cases = corpusCases('admitted');

  it('F-50 has at least thirty admitted fragments', () => {
    expect(cases.length).toBeGreaterThanOrEqual(30);
  });

  it.each(cases.map((one) => [one.name, one] as const))('%s is admitted, and writes the expected bytes', (_, { text, expected }) => {
    const verdict = checkWidest(text);

    const files = verdict.ok ? writtenFiles(verdict.value) : verdict.refusal;
    expect(files).toEqual(Array.isArray(expected) ? expected.map(decoded) : expected);
  });
});

describe('corpus of refused fragments', () => {
  const cases = corpusCases('refused');

  it('F-40 has at least sixty refused fragments', () => {
    expect(cases.length).toBeGreaterThanOrEqual(60);
  });

  it.each(cases.map((one) => [one.name, one] as const))('%s is refused, with its class and place', (_, { text, expected }) => {
    expect(checkWidest(text)).toEqual({ ok: false, refusal: expected });
  });
});

function decoded(file: { path: string; utf8?: string; base64?: string }): { path: string; content: string } {
  return { path: file.path, content: file.utf8 ?? Buffer.from(file.base64 ?? '', 'base64').toString('utf8') };
}

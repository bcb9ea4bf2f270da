import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Differ } from '../../../../controllers/xmd/approval/diff.ts';
import { printable } from '../../../../controllers/xmd/values/printable.ts';
import { printable as printedByCommands } from '../../../../kernel/cli/printable.ts';

const NO_LINE_END = String.raw`\ No newline at end of file`;

/** What a person who takes the old text and a diff makes of it; written here from the format alone. */
function applied(from: string, diff: readonly string[]): string {
  const old = from === '' ? [] : from.split(/(?<=\n)/);
  const made: string[] = [];
  let at = 0;
  for (const [index, line] of diff.entries()) {
    const heading = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@$/.exec(line);
    if (heading !== null) {
      const start = Number(heading[1]) - (heading[2] === '0' ? 0 : 1);
      made.push(...old.slice(at, start));
      at = start;
    } else if (index > 1 && line !== NO_LINE_END) {
      const text = `${line.slice(1)}${diff[index + 1] === NO_LINE_END ? '' : '\n'}`;
      if (!line.startsWith('+')) {
        expect(text).toBe(old[at]);
        at += 1;
      }
      if (!line.startsWith('-')) made.push(text);
    }
  }
  return [...made, ...old.slice(at)].join('');
}

const text = fc
  .tuple(fc.array(fc.constantFrom('a', 'b', 'c', '', '@@ -1 +1 @@', '-x', '+x', '--- f')), fc.constantFrom('', '\n'))
  .map(([lines, end]) => (lines.length === 0 ? '' : lines.join('\n') + end));

describe('AP-15', () => {
  it('AP-15 a diff leaves nothing out: applied to the old text it makes the new one', () => {
    fc.assert(
      fc.property(text, text, (from, to) => {
        const lines = new Differ().lines({ path: 'f', from, to });
        if (from === to) expect(lines).toEqual([]);
        else expect(applied(from, lines)).toBe(to);
      }),
      { numRuns: 2_000 },
    );
  });

  it('AP-15 texts that differ almost everywhere are shown whole, and so are all beyond the work that is done for one rendering', () => {
    const numbered = (word: string, count: number): string =>
      Array.from({ length: count }, (_, index) => `${word} ${index}\n`).join('');
    const from = numbered('old', 800);
    const to = numbered('new', 800);
    const whole = new Differ().lines({ path: 'f', from, to });
    expect(whole).toHaveLength(1_603);
    expect(applied(from, whole)).toBe(to);

    const differ = new Differ();
    const small = { path: 'f', from: numbered('same', 50), to: `${numbered('same', 50)}one more\n` };
    expect(differ.lines(small)).toHaveLength(7);
    for (let file = 0; file < 4; file += 1) differ.lines({ path: 'f', from, to });
    const late = differ.lines(small);
    expect(late).toHaveLength(104);
    expect(applied(small.from, late)).toBe(small.to);
  });

  it('AP-15 a million short lines are shown whole, and texts of which one is much longer are not searched', () => {
    const from = 'a\n'.repeat(600_000);
    const to = `b\n${'a\n'.repeat(599_999)}`;
    expect(new Differ().lines({ path: 'f', from, to })).toHaveLength(1_200_003);
    const differ = new Differ();
    const few = 'a\n'.repeat(100_000);
    expect(differ.lines({ path: 'f', from: few, to: 'a\n' })).toHaveLength(100_004);
    expect(differ.lines({ path: 'f', from: few, to: `b\n${few}` })).toHaveLength(7);
  });

  it('AP-15 escapes exactly what the command line escapes', () => {
    for (let point = 0; point <= 0x10ffff; point += 1) {
      const character = String.fromCodePoint(point);
      if (printable(character) !== printedByCommands(character)) expect(printable(character)).toBe(point);
    }
    expect(printable('\u202e\n')).toBe(String.raw`\u202e\n`);
    for (const hidden of [
      '\u034f',
      '\u115f',
      '\u180e',
      '\u206a',
      '\u3164',
      '\ufe0f',
      '\uffa0',
      '\u{1d173}',
      '\u{e0100}',
    ]) {
      expect(printable(`a${hidden}b`)).toMatch(/^a\\u\{?[0-9a-f]+\}?b$/);
    }
    const plain = 'Zürich, 漢字, 한국어, עברית, العربية, ελληνικά, é, 👩, ~';
    expect(printable(plain)).toBe(plain);
  });
});

import { describe, expect, it } from 'vitest';
import { checkText } from '../../controllers/xmd/preflight/check.ts';
import { LIMIT_CEILINGS } from '../../controllers/xmd/vocabulary/limits.ts';
import { buildTable } from '../../controllers/xmd/vocabulary/table.ts';

const TABLE = buildTable({ grants: ['read', 'write'], allow: ['read', 'write'] });
const MEGABYTE = 1_000_000;

/** Runs of 1, 2, 3, ... backticks, then single ones: a search for an equal run finds none for the long ones. */
function unequalRuns(length: number): string {
  const parts: string[] = [];
  for (let run = 700, size = 0; run > 1 && size < length / 2; run -= 1) {
    parts.push('`'.repeat(run), ' ');
    size += run + 1;
  }
  return repeated('x` ', length / 2) + parts.join('');
}

function repeated(unit: string, length: number): string {
  return unit.repeat(Math.ceil(length / unit.length)).slice(0, length);
}

const SHAPES: Record<string, (length: number) => string> = {
  prose: (length) => repeated('Some words, and more of them.\n', length),
  openers: (length) => repeated('<A', length),
  'nested openers': (length) => repeated('<A>', length),
  comparisons: (length) => repeated('a < b ', length),
  'backtick runs of different lengths': unequalRuns,
  'single backticks on one line': (length) => repeated('` a ``` b `` c ', length),
  'a backtick a line': (length) => repeated('a ` b\n', length),
  braces: (length) => repeated('{', length),
  'braces that read anything': (length) => repeated('{meta.', length),
  'dotted names': (length) => `{${repeated('a.', length)}`,
  'an expression that is left open': (length) => `<File path={${repeated('{', length)}`,
  'a JSON prop': (length) => `<File path={[${repeated('{"a":["\\n",1]},', length - (length % 16))}1]} />`,
  'a JSON string of escapes': (length) => `<File path={"${repeated('\\n', length - (length % 2))}"} />`,
  'a quote that is left open': (length) => `<File path="${repeated("'", length)}`,
  props: (length) => `<File ${repeated('a1 b2 ', length)}`,
  fences: (length) => repeated('```\nx\n```\n', length),
  'fences that are left open': (length) => repeated('```js x\n~~~\n', length),
  'fences in an element': (length) => `<Dir path="a">\n${repeated('```\nx\n```\n', length - (length % 10))}</Dir>`,
  'fenced files that close too early': (length) => repeated('<File path="a" fenced>\n```\n```\nx</File>', length),
  'comments that are left open': (length) => repeated('<!--', length),
  comments: (length) => repeated('<!-- - -->', length),
  'white space before no fence': (length) => repeated('\n \t    ', length),
  'white space on one line': (length) => repeated(' ', length),
  'indented runs': (length) => repeated('\n      ``\n', length),
  'a long run of tildes': (length) => repeated('~', length),
  'surrogate pairs': (length) => repeated('🎉', length),
};

function milliseconds(text: string): number {
  const start = performance.now();
  checkText(text, TABLE, LIMIT_CEILINGS);
  return performance.now() - start;
}

const GROWTH_MAX = 2.5 * 2.5;
const ROUNDS = 30;

/** How much longer four times the text takes, by the least time of each: what other work adds is never taken away. */
function growth(shape: (length: number) => string): number {
  const [small, large] = [shape(MEGABYTE / 2), shape(2 * MEGABYTE)];
  let [smallMs, largeMs, found] = [Infinity, Infinity, Infinity];
  for (let round = 0; round < ROUNDS && found > GROWTH_MAX; round += 1) {
    smallMs = Math.min(smallMs, milliseconds(small));
    largeMs = Math.min(largeMs, milliseconds(large));
    // Below a few milliseconds the clock says more about the machine than about the text.
    found = Math.max(largeMs, 8) / Math.max(smallMs, 2);
  }
  return found;
}

describe('reading and preflight of hostile text', () => {
  it.each(Object.entries(SHAPES))('F-04 takes in proportion to the text: %s', (_, shape) => {
    expect(growth(shape)).toBeLessThanOrEqual(GROWTH_MAX);
  });

  it('F-01 refuses a text past its limit without reading it', () => {
    const verdict = checkText('<'.repeat(LIMIT_CEILINGS.textBytes + 1), TABLE, LIMIT_CEILINGS);

    expect(verdict).toEqual({ ok: false, refusal: { class: 'limit', line: 1, column: 1 } });
  });
});

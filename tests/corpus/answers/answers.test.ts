import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { extractFragment } from '../../../controllers/xmd/planning/extract.ts';
import { checkText } from '../../../controllers/xmd/preflight/check.ts';
import { LIMIT_DEFAULTS } from '../../../controllers/xmd/vocabulary/limits.ts';
import { buildTable } from '../../../controllers/xmd/vocabulary/table.ts';

const NAMES = readdirSync(import.meta.dirname).flatMap((file) => (file.endsWith('.txt') ? [file.slice(0, -4)] : []));

const read = (file: string): string => readFileSync(join(import.meta.dirname, file), 'utf8');

/** What is decided about an answer: its fragment and what preflight says of that, or why there is none. */
function decided(answer: string): unknown {
  const found = extractFragment(answer, LIMIT_DEFAULTS);
  if (!found.ok) {
    return { unclear: found.reason };
  }
  const table = buildTable({ grants: ['read', 'write'], allow: ['read', 'write'] });
  const verdict = checkText(found.text, table, LIMIT_DEFAULTS);
  return { fragment: found.text, verdict: verdict.ok ? 'admitted' : verdict.refusal.class };
}

describe('corpus of answers', () => {
  it('PL-20 has at least forty answers', () => {
    expect(NAMES.length).toBeGreaterThanOrEqual(40);
  });

  it.each(NAMES)('PL-20 %s has its decided outcome', (name) => {
    expect(decided(read(`${name}.txt`))).toEqual(JSON.parse(read(`${name}.expected.json`)));
  });

  it.each(NAMES)('PL-29 %s cut anywhere gives a part of itself, or nothing', (name) => {
    const answer = read(`${name}.txt`);
    for (let end = 0; end < answer.length; end += 1) {
      const cut = answer.slice(0, end);
      const found = extractFragment(cut, LIMIT_DEFAULTS);
      const plain = (text: string): string => text.replaceAll(/^[ \t]+/gm, '');
      expect(!found.ok || plain(cut).includes(plain(found.text))).toBe(true);
    }
  });
});

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CASES, type GoldenCase, servedCases } from './cases.ts';
import { asGolden, recordOf } from './record.ts';

const FOLDER = join(import.meta.dirname, 'entries');
const WHY = [
  'What runs have on record has other keys or another shape, and runs that are under way would not resume.',
  'If that is meant: say so under "Durable format", leave tests/golden/stored as it is, and write the files anew with',
  'GOLDEN=write npx vitest run --project fast tests/golden/golden.test.ts',
];

/** What the file of a case does not say of what its run records now, entry by entry; nothing when they agree. */
async function differences(one: GoldenCase): Promise<readonly string[]> {
  const found = (await recordOf(one)).map((entry) => JSON.stringify(asGolden(entry)));
  const file = join(FOLDER, `${one.name}.json`);
  if (process.env['GOLDEN'] === 'write') writeFileSync(file, `[\n  ${found.join(',\n  ')}\n]\n`);
  const entries: readonly unknown[] = JSON.parse(readFileSync(file, 'utf8'));
  const stored = entries.map((entry) => JSON.stringify(entry));
  const places = Array.from({ length: Math.max(found.length, stored.length) }, (_, index) => index);
  const lines = places.flatMap((index) =>
    found[index] === stored[index] ? [] : [`- ${String(stored[index])}`, `+ ${String(found[index])}`],
  );
  return lines.length === 0 ? [] : [...WHY, ...lines];
}

describe('what a run has on record, entry by entry', () => {
  it.each(CASES)('S7 A-10 $name', async (one) => {
    expect(await differences(one)).toEqual([]);
  });

  it('S7 A-10 fetch and plan', async () => {
    for (const one of await servedCases()) {
      expect(await differences(one)).toEqual([]);
      one.close();
    }
  });

  it('S7 every file belongs to a case', () => {
    const names = [...CASES.map(({ name }) => name), 'fetch', 'plan'].toSorted();
    expect(readdirSync(FOLDER).toSorted()).toEqual(names.map((name) => `${name}.json`).toSorted());
  });
});

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CASES, type GoldenCase, servedCases } from './cases.ts';
import { golden, recordOf } from './record.ts';

const FOLDER = join(import.meta.dirname, 'entries');
const AGAIN = 'GOLDEN=write npx vitest run --project fast tests/golden/golden.test.ts';
const WHY =
  'What runs have on record would have other keys or another shape, and runs that are under way would not resume. If that ' +
  `is meant, write the files anew, say so under "Durable format", and keep the old ones in tests/golden/stored:\n  ${AGAIN}`;

async function compare(one: GoldenCase): Promise<void> {
  const found = (await recordOf(one)).map(golden);
  const file = join(FOLDER, `${one.name}.json`);
  if (process.env['GOLDEN'] === 'write') {
    writeFileSync(file, `${JSON.stringify(found, undefined, 2)}\n`);
    return;
  }
  const stored: readonly unknown[] = JSON.parse(readFileSync(file, 'utf8'));
  expect(found.map(keyOf), WHY).toEqual(stored.map(keyOf));
  for (const [index, entry] of found.entries()) expect(entry, WHY).toEqual(stored[index]);
}

function keyOf(entry: unknown): string {
  const { path, kind, decision }: { path?: unknown; kind?: unknown; decision?: unknown } = Object(entry);
  return [path, kind, decision].filter((part) => part !== undefined).join(' ');
}

describe('what a run has on record, entry by entry', () => {
  it.each(CASES)('S7 A-10 $name', async (one) => {
    await compare(one);
  });

  it('S7 A-10 fetch and plan', async () => {
    for (const one of await servedCases()) {
      await compare(one);
      one.close();
    }
  });

  it('S7 every file belongs to a case', () => {
    const names = [...CASES.map(({ name }) => name), 'fetch', 'plan'].toSorted();
    expect(readdirSync(FOLDER).toSorted()).toEqual(names.map((name) => `${name}.json`).toSorted());
  });
});

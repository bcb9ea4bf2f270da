import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { decodeJsonValue, encodeJsonValue } from '@telorun/sdk';
import type { JournalEntry } from '@telorun/sdk/journal';
import { beforeAll, describe, expect, it } from 'vitest';
import { CASES, type GoldenCase } from './cases.ts';
import { driven, plant, recordOf, RUN, worldOf } from './record.ts';
import { dump, dumpVersion1, load } from './sql-dump.ts';

const FOLDER = join(import.meta.dirname, 'stored');
const read = (name: string): string => readFileSync(join(FOLDER, name), 'utf8');
const RELEASE = '0.1.0';

function caseOf(name: string): GoldenCase {
  const found = CASES.find((one) => one.name === name);
  if (found === undefined) throw new Error(`there is no case ${name}`);
  return found;
}

function entriesIn(file: string): readonly JournalEntry[] {
  const decoded = decodeJsonValue(JSON.parse(read(file)));
  if (!Array.isArray(decoded)) throw new Error(`${file} holds no entries`);
  return decoded;
}

/** The effects that write a file, whichever case they are in. */
const WRITTEN = { 'xmd[1]/File': 'b.md', 'xmd[2]/File': 'b.md', 'xmd[2]/Dir/xmd[0]/File': 'd/c.md' } as const;

const NAMES = ['files', 'parking-operation', 'second-occurrence', 'doubt', 'steps'] as const;

describe('journals that earlier releases left go on, and repeat nothing', () => {
  // Files are added, never changed: they are what earlier releases have left. STORED=add writes those of RELEASE.
  beforeAll(async () => {
    if (process.env['STORED'] !== 'add') return;
    for (const name of NAMES) {
      const entries = encodeJsonValue(await recordOf(caseOf(name)));
      writeFileSync(join(FOLDER, `${RELEASE}-${name}.json`), `${JSON.stringify(entries, undefined, 1)}\n`, {
        flag: 'wx',
      });
    }
    const world = worldOf(caseOf('parking-operation'));
    const parking = await world.process();
    await parking.run(RUN, caseOf('parking-operation').inputs);
    await parking.kernel.close();
    const file = join(world.folder, 'runs.db');
    writeFileSync(join(FOLDER, `${RELEASE}-schema-2.sql`), await dump(file), { flag: 'wx' });
    writeFileSync(join(FOLDER, `${RELEASE}-schema-1.sql`), await dumpVersion1(file), { flag: 'wx' });
  });

  it.each(readdirSync(FOLDER).filter((file) => file.endsWith('.json')))(
    'S7 R4 %s, cut off after each of its entries',
    async (file) => {
      const name = file.replace(/^[\d.]+-/, '').replace(/\.json$/, '');
      const golden = caseOf(name);
      const stored = entriesIn(file);
      // A doubt begins with a kill at its place.
      for (let kept = golden.killedAfter ?? 1; kept <= stored.length; kept += 1) {
        const prefix = stored.slice(0, kept);
        const has = (path: string): boolean => prefix.some((entry) => entry.path === path);
        const world = worldOf(golden);
        await plant(world, prefix, golden.inputs);
        const entries = await driven(world, { ...golden, answers: golden.answers ?? [] }, 'resume');
        expect(entries.slice(0, kept)).toEqual(prefix);
        expect(entries.map(({ path }) => path)).toEqual(stored.map(({ path }) => path));
        // A write on record is not made again, whatever became of the file.
        for (const [effect, path] of Object.entries(WRITTEN)) {
          if (has(`steps/apply/${effect}`)) expect(world.get(path)).toBeUndefined();
        }
        for (const { path } of world.calls) expect(path === null || !has(path)).toBe(true);
      }
    },
    300_000,
  );

  it.each(['schema-1', 'schema-2'])('J-48 J-04 a SQLite journal of %s, parked inside a fragment', async (schema) => {
    const golden = caseOf('parking-operation');
    const world = worldOf(golden);
    await load(join(world.folder, 'runs.db'), read(`${RELEASE}-${schema}.sql`));
    const first = await world.process();
    const { journal } = first.workflow;
    expect(await journal.readRun(RUN)).toMatchObject({ status: 'parked', parked: { path: 'steps/apply/xmd[1]/Send' } });
    writeFileSync(join(world.folder, 'work/a.md'), 'changed since');
    await first.kernel.close();

    await answered(world);

    const second = await world.process();
    expect(await second.workflow.execute(RUN)).toMatchObject({
      status: 'completed',
      result: { steps: { apply: { result: { observations: [{ name: 'File', value: 'a' }], output: 'aagreed' } } } },
    });
    expect(world.get('b.md')).toBe('after');
    await second.kernel.close();
  });

  it('E7 A-41 an admission of version 1 answers where the profile retains its roots, and its read is not repeated', async () => {
    const golden = caseOf('files');
    const text = '<File path="a.md" />';
    const documents = golden.documents
      .replace('grants: [read, write]\n', 'grants: [read, write]\nretainedRoots: [r1]\n')
      .replace('allow: [read, write]', 'allow: [read]');
    const world = worldOf({ ...golden, documents });
    const identity = '@executablemd/core#File:read';
    const admission = {
      decision: 'admitted',
      source: text,
      named: [{ name: 'File', identity, form: 'self-closing' }],
      policy: {
        allow: ['read'],
        roots: ['r1'],
        selectedRoot: 'r1',
        allowed: [{ name: 'File', identity, forms: ['self-closing'] }],
        requests: [],
      },
    };
    const decision = (path: string, kind: 'inputs' | 'value', value: unknown): JournalEntry => ({
      path,
      kind: 'decision',
      decision: kind,
      value,
    });
    await plant(
      world,
      [
        decision('inputs', 'inputs', { text }),
        decision('steps/apply/inputs', 'inputs', { text }),
        decision('steps/apply/generated_xmd', 'value', admission),
        { path: 'steps/apply/xmd[0]/File', kind: 'step', value: 'as it was' },
      ],
      { text },
    );

    const entries = await driven(world, { ...golden, documents }, 'resume');

    expect(entries.find(({ path }) => path === 'steps/apply')?.value).toMatchObject({ output: 'as it was' });
  });
});

async function answered(world: ReturnType<typeof worldOf>): Promise<void> {
  const { workflow, kernel } = await world.process();
  expect(await workflow.journal.answer({ run: RUN }, 'agreed')).toMatchObject({ delivered: true });
  await kernel.close();
}

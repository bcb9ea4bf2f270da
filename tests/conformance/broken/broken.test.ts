import { describe, expect, it } from 'vitest';
import { conformanceCases, runConformance } from '../../../conformance/index.ts';
import type { Case } from '../../../conformance/index.ts';
import type { Defect } from './defective.ts';
import { defective } from './defective.ts';
import { brokenHandles } from './handles.ts';
import { brokenJournals } from './journals.ts';
import { brokenWorkflows } from './workflows.ts';

const DEFECTS: readonly Defect[] = [...brokenHandles, ...brokenWorkflows, ...brokenJournals];

/** The cases that a backend fails. Those of Evaluate are tried where the defect says so. */
async function failedBy(defect: Defect): Promise<readonly string[]> {
  const failed: string[] = [];
  for (const one of conformanceCases(defective(defect))) {
    if (one.id.startsWith('R') && defect.evaluates !== true) continue;
    if (await fails(one)) failed.push(one.id);
  }
  return failed;
}

async function fails({ run }: Case): Promise<boolean> {
  return run().then(
    () => false,
    () => true,
  );
}

describe('a backend with one defect', () => {
  it.each(DEFECTS)('$name: exactly the cases that must find it', async (defect) => {
    expect(defect.found.length).toBeGreaterThan(0);
    expect(await failedBy(defect)).toEqual(defect.found);
  });
});

it('proves of every case that it can fail, and of the sound backend beneath that it fails none', async () => {
  const sound = await runConformance(defective({ name: 'sound', found: [] }));
  const findable = new Set(DEFECTS.flatMap(({ found }) => found));

  expect(sound.failed).toEqual([]);
  expect(sound.skipped).toEqual([]);
  expect(sound.passed.filter((id) => !findable.has(id))).toEqual([]);
});

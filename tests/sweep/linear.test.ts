import { expect, it } from 'vitest';
import { checkText } from '../../controllers/xmd/preflight/check.ts';
import { readOutcome } from '../../controllers/xmd/performance/read-outcome.ts';
import { LIMIT_CEILINGS } from '../../controllers/xmd/vocabulary/limits.ts';
import { buildTable } from '../../controllers/xmd/vocabulary/table.ts';
import { TARGETS } from '../fuzz/targets.ts';

const MEGABYTE = 1_000_000;
const TABLE = buildTable({ grants: ['read', 'write'], allow: ['read', 'write'] });
/** What doubling a text may cost; of three doublings, so that one step of the memory manager is no failure. */
const DOUBLING_AT_MOST = 2.2;
const ROUNDS = 16;

type Work = () => unknown;

function fragment(unit: string): (length: number) => Work {
  return (length) => {
    const text = unit.repeat(length / unit.length);
    return () => checkText(text, TABLE, LIMIT_CEILINGS);
  };
}

function target(name: string, make: (length: number) => string): (length: number) => Work {
  return (length) => {
    const text = make(length);
    return () => TARGETS[name]?.(text);
  };
}

/** What is measured is our reading: `JSON.parse` alone takes twentyfold time for eightfold text. */
function outcome(length: number): Work {
  const effects = Array.from({ length: length / 10 }, () => ['p', 'd']);
  const record = { outcome: 'completed', observations: [], output: [], effects };
  return () => readOutcome(record, 'p');
}

const SHAPES: Readonly<Record<string, (length: number) => Work>> = {
  'prose with comparisons': fragment('a < b `c` {d\n'),
  'elements on every line': fragment('<File path="a" />\n'),
  'fences of growing length': fragment('~~~\n```\n'),
  'spans that are not closed': fragment('` a ``` b `` c '),
  'a JSON list': target('json', (length) => `[${'1,'.repeat(length / 2)}1]`),
  'a JSON text': target('json', (length) => `"${String.raw`\u00e9`.repeat(length / 6)}"`),
  'a record of many effects': outcome,
  'a path of many parts': target('path', (length) => 'a/./'.repeat(length / 4)),
  'a CEL text': target('cel', (length) => `size("${'a'.repeat(length)}")`),
};

it.each(Object.entries(SHAPES))('F-04 doubling up to 4 MB at most doubles the time: %s', async (_, make) => {
  const [small, large] = [make(MEGABYTE / 2), make(4 * MEGABYTE)];
  let doubling = Infinity;
  // The least time of each: what a machine that does other work adds is never taken away.
  let [smallMs, largeMs] = [Infinity, Infinity];
  for (let round = 0; round < ROUNDS && doubling > DOUBLING_AT_MOST; round += 1) {
    smallMs = Math.min(smallMs, await milliseconds(small));
    largeMs = Math.min(largeMs, await milliseconds(large));
    doubling = (Math.max(largeMs, 16) / Math.max(smallMs, 2)) ** (1 / 3);
  }
  expect(doubling).toBeLessThanOrEqual(DOUBLING_AT_MOST);
});

async function milliseconds(work: Work): Promise<number> {
  globalThis.gc?.();
  const start = performance.now();
  await work();
  return performance.now() - start;
}

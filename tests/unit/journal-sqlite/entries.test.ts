import { describe, expect, it } from 'vitest';
import { claimed, codeOf, failure, fileOf, open } from './fixture.ts';

const names = (runs: readonly { run: string }[]) => runs.map(({ run }) => run);
const step = (path: string, value?: unknown) => ({ path, kind: 'step' as const, value });

describe('entries', () => {
  it('J-11 the first writer of a path wins and both are answered with what it wrote', async () => {
    const journal = await claimed();
    expect(await journal.append('r', step('a', 1))).toEqual(step('a', 1));
    expect(await journal.append('r', step('a', 2))).toEqual(step('a', 1));
    expect(await journal.readEntries('r')).toEqual([step('a', 1)]);
  });

  it('J-11 an answer that another instance wrote stays what its path holds, for an owner that knew the run before', async () => {
    const journal = await claimed();
    const other = await open(fileOf(journal));
    await journal.append('r', step('a', 1));
    for (const path of ['v', 'w']) await journal.recordWait('r', { path, resource: 'ask', token: path });
    await other.answer({ token: 'w' }, 'yes');
    expect(await journal.append('r', step('w', 'no'))).toEqual(step('w', 'yes'));
    await other.answer({ token: 'v' }, 'yes');
    expect(await journal.append('r', step('b', 2))).toEqual(step('b', 2));
    expect(await journal.append('r', step('v', 'no'))).toEqual(step('v', 'yes'));
    expect(await journal.readEntries('r')).toEqual([step('a', 1), step('w', 'yes'), step('v', 'yes'), step('b', 2)]);
  });

  it('J-11 entries come back in the order in which they were written, across instances, runs and answers', async () => {
    const journal = await claimed();
    const other = await open(fileOf(journal));
    await journal.admitRun('s');
    await journal.claimRun('s', 'h', 60_000);
    await journal.append('r', step('b'));
    await journal.append('s', step('z'));
    await journal.recordWait('r', { path: 'w', resource: 'ask', token: 't' });
    await other.answer({ token: 't' }, 'yes');
    await journal.append('r', step('a'));
    await journal.append('s', step('y'));
    await journal.append('r', { path: 'c', kind: 'decision', decision: 'switch', value: 'x' });
    const paths = async (run: string) => (await other.readEntries(run)).map(({ path }) => path);
    expect(await paths('r')).toEqual(['b', 'w', 'a', 'c']);
    expect(await paths('s')).toEqual(['z', 'y']);
  });

  it.each(['inputs', 'predicate', 'condition', 'collection', 'switch', 'value'] as const)(
    'J-11 a decision of kind %s keeps its kind, a target its members',
    async (decision) => {
      const journal = await claimed();
      await journal.append('r', { path: 'd', kind: 'decision', decision, value: 1 });
      const target = { kind: 'Run.Value', name: 'v', module: 'M' };
      await journal.append('r', { path: 's', kind: 'step', target, value: 2 });
      const reader = await open(fileOf(journal), { create: false });
      expect(await reader.readEntries('r')).toEqual([
        { path: 'd', kind: 'decision', decision, value: 1 },
        { path: 's', kind: 'step', target, value: 2 },
      ]);
    },
  );

  it.each([
    ['false', false],
    ['zero', 0],
    ['an empty text', ''],
    ['null', null],
    ['an empty list', []],
    ['an empty object', {}],
    ['an integer beyond a double', 2n ** 80n],
    ['integers inside', { a: [1n, { b: -3n }] }],
    ['an object that looks like an integer', { $bigint: '12' }],
    ['an object that looks like an escaped one', { $$bigint: { $bigint: 'no' } }],
    ['a text that holds the tag', 'see {"$bigint":"1"}'],
    ['other scripts and controls', 'é中🂡\u0000\u2028\ud83d\ude00 "\\"'],
    ['a fraction', 0.1],
    ['a megabyte', 'x'.repeat(1_048_576)],
    ['a key named like a prototype', JSON.parse('{"__proto__":{"a":1},"constructor":2}')],
  ])('J-12 S6 %s is answered the same by append, by a reader and after opening again', async (_name, value) => {
    const journal = await claimed();
    const stored = await journal.append('r', step('v', value));
    expect(stored.value).toEqual(value);
    const reader = await open(fileOf(journal));
    expect(await reader.readEntries('r')).toEqual([stored]);
  });

  it('J-12 no value stays no value, and is not null', async () => {
    const journal = await claimed();
    const stored = await journal.append('r', { path: 'none', kind: 'step' });
    expect(stored).toEqual({ path: 'none', kind: 'step' });
    expect('value' in stored).toBe(false);
    expect(await journal.readEntries('r')).toEqual([stored]);
  });

  it('J-12 append answers what was recorded, not the object it was given', async () => {
    const journal = await claimed();
    const at = new Date(0);
    const stored = await journal.append('r', step('v', { at, gone: undefined }));
    expect(stored.value).toStrictEqual({ at: '1970-01-01T00:00:00.000Z' });
    expect(await journal.readEntries('r')).toStrictEqual([stored]);
  });

  it('J-12 a value that JSON cannot write is refused with run and path, and nothing is recorded', async () => {
    const journal = await claimed();
    const cycle: { self?: unknown } = {};
    cycle.self = cycle;
    expect(await failure(() => journal.append('r', step('c', cycle)))).toMatchObject({
      code: 'ERR_DURABLE_UNJOURNALABLE_VALUE',
      data: { run: 'r', path: 'c' },
    });
    expect(
      await codeOf(() =>
        journal.append(
          'r',
          step('f', () => 1),
        ),
      ),
    ).toBe('ERR_DURABLE_UNJOURNALABLE_VALUE');
    expect(await journal.readEntries('r')).toEqual([]);
    expect(await journal.append('r', step('c', 'plain'))).toEqual(step('c', 'plain'));
  });

  it('J-13 a run that is not known has no entries, no record and no owner', async () => {
    const journal = await open();
    expect(await journal.readEntries('r')).toEqual([]);
    expect(await journal.readRun('r')).toBeUndefined();
    expect(await journal.claimRun('r', 'h', 1_000)).toBe(false);
    expect(await codeOf(() => journal.append('r', step('a')))).toBe('ERR_DURABLE_RUN_NOT_FOUND');
    expect(await journal.cancelRun('r')).toBe(false);
  });
});

describe('runs', () => {
  it('J-10 one of two admissions counts, and the other is shown the run as it is', async () => {
    const journal = await open();
    const program = { manifest: '../telo.yaml', workflow: 'release', digest: 'sha256:00' };
    expect(await journal.admitRun('r', { inputs: { n: 1n }, program })).toEqual({ admitted: true });
    const again = await journal.admitRun('r', { inputs: { n: 2n } });
    expect(again).toMatchObject({
      admitted: false,
      existing: { run: 'r', status: 'running', inputs: { n: 1n }, program, claimed: false },
    });
  });

  it('J-10 a settled run keeps its result, error and collapse reasons, and takes nothing more', async () => {
    const journal = await claimed();
    await journal.completeRun('r', {
      status: 'failed',
      error: { code: 'E', message: 'm', data: { n: 1n } },
      collapsedRegions: 2,
    });
    await journal.admitRun('s');
    await journal.claimRun('s', 'h', 1_000);
    await journal.completeRun('s', { status: 'completed', result: false, collapseReasons: ['idempotent'] });
    expect(await journal.readRun('r')).toMatchObject({
      status: 'failed',
      error: { code: 'E', message: 'm', data: { n: 1n } },
    });
    expect(await journal.readRun('s')).toMatchObject({
      status: 'completed',
      result: false,
      collapseReasons: ['idempotent'],
    });
    expect(await codeOf(() => journal.append('s', step('late')))).toBe('ERR_DURABLE_CLAIM_LOST');
    expect(await codeOf(() => journal.completeRun('s', { status: 'failed' }))).toBe('ERR_DURABLE_CLAIM_LOST');
    expect(await journal.claimRun('s', 'h', 1_000)).toBe(false);
  });

  it('J-10 runs are listed newest first, by status and up to a limit', async () => {
    const journal = await open();
    for (const run of ['a', 'b', 'c']) await journal.admitRun(run);
    await journal.cancelRun('b', 'not wanted');
    expect(names(await journal.listRuns())).toEqual(['c', 'b', 'a']);
    expect(names(await journal.listRuns({ status: 'cancelled' }))).toEqual(['b']);
    expect(names(await journal.listRuns({ limit: 1 }))).toEqual(['c']);
  });
});

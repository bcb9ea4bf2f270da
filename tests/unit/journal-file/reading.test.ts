import { appendFileSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  claimed,
  codeOf,
  directoryOf,
  entry,
  failure,
  header,
  makeDirectory,
  open,
  plant,
  textOf,
  type OpenedJournal,
} from './fixture.ts';

const CORRUPT = 'ERR_DURABLE_JOURNAL_CORRUPT';
const parked = {
  type: 'run',
  run: 'r',
  status: 'parked',
  parked: { path: 'steps/w', resource: 'ask', token: 'token-1' },
};

function planted(lines: readonly (string | object)[], run = 'r'): OpenedJournal {
  const directory = makeDirectory();
  mkdirSync(directory);
  plant(directory, run, lines);
  return open(directory);
}

describe("Telo's format, read", () => {
  it('JF-03 the last line of a run counts, and the first entry at a path', async () => {
    const journal = planted([header(), entry('a', 1), entry('b', 2), entry('a', 3), parked]);
    expect(await journal.readEntries('r')).toEqual([
      { path: 'a', kind: 'step', value: 1 },
      { path: 'b', kind: 'step', value: 2 },
    ]);
    expect(await journal.readRun('r')).toMatchObject({ status: 'parked', parked: parked.parked, claimed: false });
    expect(await journal.readWaits('r')).toMatchObject([{ run: 'r', ...parked.parked, state: 'open' }]);
  });

  it('JF-03 a run parked by a Telo kernel takes its answer here, and one only', async () => {
    const journal = planted([header(), entry('a', 1), parked]);
    expect(await journal.answer({ token: 'token-1' }, 'yes')).toEqual({ delivered: true, run: 'r', path: 'steps/w' });
    expect(await journal.answer({ token: 'token-1' }, 'no')).toMatchObject({ reason: 'already-answered' });
    expect(textOf(journal).split('\n').slice(3)).toEqual([
      '{"type":"entry","entry":{"path":"steps/w","kind":"step","value":"yes"}}',
      '{"type":"run","run":"r","status":"running"}',
      '',
    ]);
    expect(await journal.dueRuns(0, 9)).toEqual(['r']);
  });

  it('JF-03 a delivery whose second line was never written makes the run due', async () => {
    const journal = planted([header(), parked, entry('steps/w', 'yes')]);
    expect(await journal.readRun('r')).toMatchObject({ status: 'running' });
    expect(await journal.dueRuns(0, 9)).toEqual(['r']);
    expect(await planted([header(), parked]).dueRuns(0, 9)).toEqual([]);
  });

  it('JF-04 an incomplete last line is not there, and the next write takes its place', async () => {
    // Longer than what is written over it: nothing of it may stay behind that.
    const torn = `{"type":"entry","entry":{"path":"b","kind":"step","value":"${'x'.repeat(200)}`;
    const journal = planted([header(), entry('a', 1), torn]);
    expect((await journal.readEntries('r')).map(({ path }) => path)).toEqual(['a']);
    await journal.claimRun('r', 'h', 60_000);
    await journal.append('r', { path: 'c', kind: 'step', value: 2 });
    expect(textOf(journal).split('\n').slice(1)).toEqual([
      JSON.stringify(entry('a', 1)),
      JSON.stringify(entry('c', 2)),
      '',
    ]);
  });

  it('JF-04 a file without a whole first line is no run yet, and is admitted', async () => {
    const journal = planted(['{"type":"run","ru']);
    expect(await journal.readRun('r')).toBeUndefined();
    expect(await journal.listRuns()).toEqual([]);
    expect(await journal.claimRun('r', 'h', 60_000)).toBe(false);
    expect(await journal.admitRun('r')).toEqual({ admitted: true });
    expect(textOf(journal)).toBe('{"type":"run","run":"r","status":"running"}\n');
  });

  it.each([
    ['no JSON', ['{"type":"entry",}\n'], 2],
    ['an empty line', ['\n'], 2],
    ['no object', ['[]\n'], 2],
    ['an unknown type', [{ type: 'claim' }], 2],
    ['another run', [header('s')], 2],
    ['an unknown status', [{ type: 'run', run: 'r', status: 'happy' }], 2],
    ['a status that an object inherits', [{ type: 'run', run: 'r', status: 'constructor' }], 2],
    ['an entry without a path', [{ type: 'entry', entry: { kind: 'step' } }], 2],
    ['an entry of an unknown kind', [{ type: 'entry', entry: { path: 'a', kind: 'thing' } }], 2],
    ['a decision of an unknown kind', [{ type: 'entry', entry: { path: 'a', kind: 'decision', decision: 'x' } }], 2],
    ['a target that is none', [{ type: 'entry', entry: { path: 'a', kind: 'step', target: { kind: 1 } } }], 2],
    ['a wait without a resource', [{ ...parked, parked: { path: 'w' } }], 2],
    ['an instant that is none', [{ ...parked, dueAt: 'soon' }], 2],
    ['an error that is none', [{ type: 'run', run: 'r', status: 'failed', error: 'no' }], 2],
    [
      'nesting beyond reason',
      [`{"type":"entry","entry":{"path":"a","kind":"step","value":${'['.repeat(2_100)}${']'.repeat(2_100)}}}\n`],
      2,
    ],
    ['a broken line with whole ones behind it', [entry('a'), '{"type":"entry\n', entry('b')], 3],
  ])('JF-05 refuses %s, with the line, and writes nothing', async (_name, lines, line) => {
    const journal = planted([header(), ...lines]);
    const before = textOf(journal);
    const found = { code: CORRUPT, data: { run: 'r', line, file: `${directoryOf(journal)}/r.ndjson` } };
    expect(await failure(() => journal.readEntries('r'))).toMatchObject(found);
    expect(await failure(() => journal.readRun('r'))).toMatchObject(found);
    expect(await failure(() => journal.claimRun('r', 'h', 1))).toMatchObject(found);
    expect(await codeOf(() => journal.cancelRun('r'))).toBe(CORRUPT);
    expect(textOf(journal)).toBe(before);
    const twin = planted([header(), entry('a', 1)]);
    expect(await twin.readEntries('r')).toHaveLength(1);
  });

  it('JF-05 a first line that is no run, and a file whose name is not that of its run', async () => {
    expect(await codeOf(() => planted([entry('a')]).readRun('r'))).toBe(CORRUPT);
    expect(await codeOf(() => planted([header('other')]).readRun('r'))).toBe(CORRUPT);
    expect(await planted([header('r')], 'r').readRun('r')).toBeDefined();
  });

  it('JF-05 a damaged run is listed with its problem and hides no other', async () => {
    const journal = planted([header(), 'x\n']);
    plant(directoryOf(journal), 'well', [header('well')]);
    const runs = await journal.listRuns();
    expect(runs.map(({ run, problem }) => [run, problem?.code]).toSorted()).toEqual([
      ['r', CORRUPT],
      ['well', undefined],
    ]);
    expect(await journal.answer({ token: 'nobody' }, 1)).toMatchObject({ reason: 'unknown-token' });
  });

  it('JF-05 a link is no journal, and neither is what is no run of ours in the folder', async () => {
    const journal = planted([header()]);
    const folder = directoryOf(journal);
    symlinkSync(`${folder}/r.ndjson`, `${folder}/s.ndjson`);
    mkdirSync(`${folder}/t.ndjson`);
    writeFileSync(`${folder}/notes.txt`, '');
    writeFileSync(`${folder}/%zz.ndjson`, '');
    writeFileSync(`${folder}/a b.ndjson`, '');
    expect((await journal.listRuns()).map(({ run }) => run)).toEqual(['r']);
    expect(await codeOf(() => journal.readRun('s'))).toBe(CORRUPT);
    expect(await codeOf(() => journal.readRun('t'))).toBe(CORRUPT);
  });

  it('JF-06 lines that others add are read where the last look ended; those before are not read again', async () => {
    const journal = await claimed();
    await journal.append('r', { path: 'a', kind: 'step', value: 1 });
    const file = `${directoryOf(journal)}/r.ndjson`;
    const before = readFileSync(file, 'utf8');
    // Whoever looked at the beginning again would find a damaged line there.
    writeFileSync(file, before.replace('"path":"a"', '"path":7 ,'.slice(0, 10)), { flag: 'r+' });
    appendFileSync(file, `${JSON.stringify(entry('b', 'theirs'))}\n`);
    expect((await journal.append('r', { path: 'b', kind: 'step', value: 'mine' })).value).toBe('theirs');
    expect((await journal.append('r', { path: 'c', kind: 'step', value: 'mine' })).value).toBe('mine');
    expect(await codeOf(() => open(directoryOf(journal)).readRun('r'))).toBe(CORRUPT);
  });

  it('JF-08 without the folder beside it a run is what its own file tells', async () => {
    const journal = await claimed();
    await journal.append('r', { path: 'a', kind: 'step', value: 1 });
    await journal.recordWait('r', { path: 'w', resource: 'ask', token: 'token-w', schema: { type: 'string' } });
    await journal.recordWait('r', { path: 'v', resource: 'ask', token: 'token-v' });
    await journal.suspendRun('r');
    const directory = directoryOf(journal);
    journal.close();
    rmSync(`${directory}.xmd`, { recursive: true });
    const again = open(directory);
    expect(await again.readRun('r')).toMatchObject({ status: 'parked', parked: { path: 'w', token: 'token-w' } });
    expect(await again.readWaits('r')).toMatchObject([{ path: 'w', state: 'open' }]);
    expect(await again.answer({ token: 'token-w' }, 1)).toMatchObject({ delivered: true });
    expect(await again.claimRun('r', 'h', 60_000)).toBe(true);
  });

  it.each([
    ['no JSON', 'x\n'],
    ['an unknown type', '{"type":"run"}\n'],
    ['a fence that goes back', '{"type":"claim","fence":0,"holder":"h","until":1,"owner":"o"}\n'],
    ['a fence that is no number of a claim', '{"type":"free","fence":1.5}\n'],
    ['a wait that is none', '{"type":"wait","fence":1,"since":1,"wait":{"path":1}}\n'],
  ])('JF-08 refuses %s in the file beside, and nothing is written', async (_name, line) => {
    const journal = await claimed();
    const before = textOf(journal);
    appendFileSync(`${directoryOf(journal)}.xmd/r.ndjson`, line);
    expect(await codeOf(() => journal.append('r', { path: 'a', kind: 'step' }))).toBe(CORRUPT);
    expect(await codeOf(() => open(directoryOf(journal)).readRun('r'))).toBe(CORRUPT);
    expect(textOf(journal)).toBe(before);
  });

  it('JF-09 a file that was moved or replaced under a claim takes nothing and starts nothing; put back, the run goes on', async () => {
    const journal = await claimed();
    await journal.append('r', { path: 'a', kind: 'step', value: 1 });
    const file = `${directoryOf(journal)}/r.ndjson`;
    renameSync(file, `${file}.away`);
    expect(await codeOf(() => journal.append('r', { path: 'b', kind: 'step' }))).toBe(
      'ERR_DURABLE_JOURNAL_UNAVAILABLE',
    );
    expect(await codeOf(() => journal.checkClaim('r'))).toBe('ERR_DURABLE_JOURNAL_UNAVAILABLE');
    writeFileSync(file, readFileSync(`${file}.away`));
    expect(await codeOf(() => journal.append('r', { path: 'b', kind: 'step' }))).toBe(
      'ERR_DURABLE_JOURNAL_UNAVAILABLE',
    );
    renameSync(`${file}.away`, file);
    await journal.append('r', { path: 'b', kind: 'step' });
    expect((await journal.readEntries('r')).map(({ path }) => path)).toEqual(['a', 'b']);
  });
});

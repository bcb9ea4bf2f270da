import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { FencedJournal, WholeRun } from '@telorun/sdk/journal';
import { describe, expect, it } from 'vitest';
import { exportedRun, importedRun } from '../../../controllers/journal-file/index.ts';
import { findDriver } from '../../../controllers/journal-sqlite/open-database.ts';
import { makeFolder, open as openSqlite } from '../journal-sqlite/fixture.ts';
import { codeOf, directoryOf, entry, failure, header, makeDirectory, open, plant, textOf } from './fixture.ts';

const INVALID = 'ERR_DURABLE_TRANSFER_INVALID';
const NOW = 1_700_000_000_000;
const program = { manifest: '../app/telo.yaml', workflow: 'order', digest: 'sha256:00' };
const schema = { type: 'object', properties: { ok: { const: 9_007_199_254_740_993n } } };

const bytesOf = (lines: readonly string[]): Uint8Array => Buffer.from(lines.join(''));
const read = (lines: readonly string[], now = NOW): WholeRun => importedRun(bytesOf(lines), { file: 'f', now });
const text = (line: object): string => `${JSON.stringify(line)}\n`;
const parked = (path = 'steps/w', run = 'r') =>
  text({ type: 'run', run, status: 'parked', parked: { path, resource: 'ask', token: 'token-1' } });

async function wholeOf(journal: FencedJournal, run = 'r'): Promise<WholeRun> {
  const record = await journal.readRun(run);
  if (record === undefined) throw new Error('no run');
  return { record, entries: await journal.readEntries(run), waits: await journal.readWaits(run) };
}

/** A run with all that Telo's format has no place for, parked at two waits behind one that is answered and one that is over. */
async function busyLife(journal: FencedJournal): Promise<WholeRun> {
  await journal.admitRun('r', { inputs: { big: 5n, odd: { $bigint: '5' } }, program });
  await journal.claimRun('r', 'one', 60_000);
  const target = { kind: 'Run.Value', name: 'v', module: 'Orders' };
  await journal.append('r', { path: 'inputs', kind: 'decision', decision: 'inputs', value: 'ä\u202e\u2028\ud800' });
  await journal.append('r', { path: 'steps/a', kind: 'step', target, value: { n: 9_007_199_254_740_993n } });
  await journal.append('r', { path: 'steps/none', kind: 'step' });
  await journal.recordWait('r', { path: 'steps/old', resource: 'ask', token: 'token-0' });
  await journal.recordWait('r', { path: 'steps/late', resource: 'ask', token: 'token-late' });
  await journal.closeWait('r', 'steps/late');
  await journal.suspendRun('r');
  await journal.answer({ token: 'token-0' }, 'yes');
  await journal.claimRun('r', 'two', 60_000);
  await journal.recordWait('r', { path: 'steps/w', resource: 'ask', token: 'token-1', schema, request: { q: 1n } });
  await journal.recordWait('r', { path: 'steps/x', resource: 'ask', token: 'token-2', at: NOW * 2 });
  await journal.suspendRun('r');
  return wholeOf(journal);
}

/** What a journal says of its own files is not the run's. */
const plain = ({ record, ...rest }: WholeRun): unknown => ({
  ...rest,
  record: { ...record, updatedAt: 0, claimed: false },
});

describe('a run as a file', () => {
  it("TR-01 is Telo's lines, and one entry behind the first that says the rest; in ASCII", async () => {
    const lines = exportedRun(await busyLife(await openSqlite()), NOW);
    expect(lines.join('')).toMatch(/^[\n\x20-\x7e]*$/);
    expect(lines.map((line) => line.slice(0, 64))).toEqual([
      '{"type":"run","run":"r","status":"running","inputs":{"big":5,"od',
      '{"type":"entry","entry":{"path":"transfer","kind":"decision","de',
      '{"type":"entry","entry":{"path":"inputs","kind":"decision","deci',
      '{"type":"entry","entry":{"path":"steps/a","kind":"step","value":',
      '{"type":"entry","entry":{"path":"steps/none","kind":"step"}}\n',
      '{"type":"entry","entry":{"path":"steps/old","kind":"step","value',
      '{"type":"run","run":"r","status":"parked","parked":{"path":"step',
    ]);
    expect(lines[3]).toContain('"value":{"n":9007199254740993},"target":{"kind":"Run.Value","name":"v"}');
  });

  it('TR-02 comes back as it was: into a folder, from there into SQLite, and again', async () => {
    const first = await openSqlite();
    const whole = await busyLife(first);
    expect(whole.record).toMatchObject({ status: 'parked', program, dueAt: NOW * 2 });
    let from = whole;
    for (const journal of [open(), await openSqlite(), open(), await openSqlite()]) {
      const came = read(exportedRun(from, NOW));
      expect(await journal.adoptRun(came)).toBe(true);
      from = await wholeOf(journal);
      expect(plain(from)).toEqual(plain(whole));
      expect(await journal.runParkedOn('token-1')).toBe('r');
      expect(await journal.answer({ token: 'token-0' }, 1)).toMatchObject({ reason: 'already-answered' });
      expect(await journal.answer({ token: 'token-late' }, 1)).toMatchObject({ reason: 'closed' });
    }
  });

  it('TR-02 a settled and a scheduled run come back as they were, and so does what stopped an execution', async () => {
    for (const from of [open(), await openSqlite()]) {
      await from.admitRun('later', { status: 'scheduled', dueAt: NOW, inputs: { a: 1n } });
      await from.admitRun('failed');
      await from.claimRun('failed', 'h', 60_000);
      const error = { code: 'ERR_X', message: 'no', data: { n: 7n } };
      await from.completeRun('failed', { status: 'failed', error });
      await from.admitRun('done');
      await from.claimRun('done', 'h', 60_000);
      await from.completeRun('done', {
        status: 'completed',
        result: { n: 7n },
        collapsedRegions: 1,
        collapseReasons: ['x'],
      });
      await from.admitRun('stopped', { program });
      await from.claimRun('stopped', 'h', 60_000);
      await from.releaseRun('stopped', { code: 'ERR_Y', message: 'policy' });
      for (const to of [open(), await openSqlite()]) {
        for (const run of ['later', 'failed', 'done', 'stopped']) {
          const whole = await wholeOf(from, run);
          expect(await to.adoptRun(read(exportedRun(whole, NOW)))).toBe(true);
          expect(plain(await wholeOf(to, run))).toEqual(plain(whole));
        }
        expect(await to.dueRuns(NOW, 9)).toEqual(['stopped', 'later']);
      }
    }
  });

  it("TR-20 what is adopted is claimed by nobody, goes on in the journal's own lines or digests, and is due as it was", async () => {
    const whole = await busyLife(await openSqlite());
    for (const journal of [open(), await openSqlite()]) {
      await journal.adoptRun(read(exportedRun(whole, NOW)));
      expect(await journal.dueRuns(NOW, 9)).toEqual([]);
      expect(await journal.answer({ run: 'r', path: 'steps/w' }, 'x', () => ['no'])).toMatchObject({
        reason: 'schema',
      });
      expect(await journal.answer({ run: 'r', path: 'steps/w' }, 'x')).toMatchObject({ delivered: true });
      expect(await journal.dueRuns(NOW, 9)).toEqual(['r']);
      expect(await journal.claimRun('r', 'h', 60_000)).toBe(true);
      await journal.append('r', { path: 'steps/b', kind: 'step', value: 1 });
      expect((await journal.append('r', { path: 'steps/a', kind: 'step', value: 'other' })).value).toEqual({
        n: 9_007_199_254_740_993n,
      });
      expect(await journal.readEntries('r')).toHaveLength(6);
      await journal.recordWait('r', { path: 'steps/x', resource: 'ask', token: 'token-2', at: NOW * 2 });
      expect(await journal.suspendRun('r')).toMatchObject({ status: 'parked', parked: { path: 'steps/x' } });
    }
  });

  it('TR-20 the digests of SQLite are made anew: an entry that is dropped or altered after the move is found', async () => {
    const whole = await busyLife(await openSqlite());
    for (const [sql, seq] of [
      ['DELETE FROM entries WHERE id = (SELECT max(id) FROM entries)', 4],
      [`UPDATE entries SET value = '"other"' WHERE path = 'inputs'`, 1],
    ] as const) {
      const file = join(makeFolder(), 'runs.db');
      const journal = await openSqlite(file);
      await journal.adoptRun(whole);
      expect(await journal.readEntries('r')).toEqual(whole.entries);
      const database = (await findDriver(file)).open(file, 0);
      database.exec(sql);
      database.close();
      expect(await failure(() => journal.readEntries('r'))).toMatchObject({
        code: 'ERR_DURABLE_JOURNAL_CORRUPT',
        data: { run: 'r', seq },
      });
    }
  });

  it('TR-13 a run that is there is left as it is', async () => {
    const whole = read([text(header()), text(entry('a', 1))]);
    for (const journal of [open(), await openSqlite()]) {
      await journal.admitRun('r', { inputs: 'its own' });
      const before = await wholeOf(journal);
      expect(await journal.adoptRun(whole)).toBe(false);
      expect(await wholeOf(journal)).toEqual(before);
      expect(await journal.adoptRun({ ...whole, record: { ...whole.record, run: 's' } })).toBe(true);
    }
  });
});

describe('a file of a Telo kernel', () => {
  it('TR-21 is read as the folder is: the last line of a run and the first entry at a path count', async () => {
    const lines = [text(header()), text(entry('a', 1)), text(entry('b')), text(entry('a', 2)), parked()];
    const whole = read(lines);
    expect(whole).toEqual({
      record: {
        run: 'r',
        status: 'parked',
        parked: { path: 'steps/w', resource: 'ask', token: 'token-1' },
      },
      entries: [
        { path: 'a', kind: 'step', value: 1 },
        { path: 'b', kind: 'step' },
      ],
      waits: [{ run: 'r', path: 'steps/w', resource: 'ask', token: 'token-1', state: 'open', since: NOW }],
    });
    const journal = open();
    await journal.adoptRun(whole);
    expect(textOf(journal)).toBe(lines.filter((_line, index) => index !== 3).join(''));
  });

  it('TR-21 a delivery whose second line was never written makes it due', () => {
    expect(read([text(header()), parked(), text(entry('steps/w', 'yes'))]).record).toEqual({
      run: 'r',
      status: 'running',
    });
    expect(read([text(header()), parked()]).record.status).toBe('parked');
  });
});

describe('a file that is refused', () => {
  const good = [text(header()), text(entry('a', 1)), parked()];

  it.each([
    ['that is empty', [], undefined],
    ['whose last line has no end', [...good, '{"type":"entry"'], undefined],
    ['with a whole last line that has no end', [...good.slice(0, 2), parked().trimEnd()], undefined],
    ['with an empty line', [...good.slice(0, 1), '\n', ...good.slice(1)], 2],
    ['with a line that is no JSON', [...good, '{]\n'], 4],
    ['with a line of another type', [...good, text({ type: 'claim', run: 'r' })], 4],
    ['with a line of another run', [...good, parked('steps/w', 's')], 4],
    ['that begins with an entry', good.slice(1), 1],
    ['without the name of a run', [text({ type: 'run', status: 'running' })], 1],
    ['with an empty name of a run', [text(header(''))], undefined],
    ['with half a character in a path', [good[0] ?? '', text(entry('a\ud800'))], undefined],
    ['with NUL in a path', [good[0] ?? '', text(entry('a\0'))], undefined],
    ['with a status that is none', [...good, text({ type: 'run', run: 'r', status: 'paused' })], 4],
    ['with a member that would be lost', [...good, text({ ...header(), priority: 1 })], 4],
    [
      'with a member of an entry that would be lost',
      [...good, '{"type":"entry","entry":{"path":"b","kind":"step","at":1}}\n'],
      4,
    ],
    ['with a fraction of a millisecond', [...good, text({ ...header(), status: 'parked', dueAt: 1.5 })], undefined],
    [
      'nested without end',
      [
        ...good,
        `{"type":"entry","entry":{"path":"b","kind":"step","value":${'['.repeat(5_000)}${']'.repeat(5_000)}}}\n`,
      ],
      4,
    ],
  ])('TR-10 %s', async (_what, lines, line) => {
    const { code, data } = await failure(() => read(lines));
    expect({ code, data }).toMatchObject({
      code: INVALID,
      data: { file: 'f', ...(line === undefined ? {} : { line }) },
    });
    expect(read(good).entries).toHaveLength(1);
  });

  it('TR-10 that is not UTF-8, with the line', async () => {
    const bytes = Buffer.concat([bytesOf(good), Uint8Array.of(0x22, 0xff, 0x22, 0x0a)]);
    expect(await failure(() => importedRun(bytes, { file: 'f', now: 0 }))).toMatchObject({
      code: INVALID,
      data: { line: 4 },
    });
  });

  it('TR-10 that is larger than any run', async () => {
    expect(await codeOf(() => importedRun(new Uint8Array((256 << 20) + 1), { file: 'f', now: 0 }))).toBe(INVALID);
  });

  it('TR-12 whose numbers would be rounded, and nothing says what they are', async () => {
    const whole = await busyLife(await openSqlite());
    const lines = exportedRun(whole, NOW);
    const [, , ...rest] = lines;
    // Telo's lines alone: what the second line said of integers is gone.
    expect(await failure(() => read([text(header()), ...rest]))).toMatchObject({ code: INVALID, data: { line: 3 } });
    for (const number of ['9007199254740993', '-9007199254740993', '1e999', '9'.repeat(1_000)]) {
      const line = `{"type":"entry","entry":{"path":"b","kind":"step","value":[${number}]}}\n`;
      expect(await codeOf(() => read([...good, line]))).toBe(INVALID);
      expect(await codeOf(() => read([`{"type":"run","run":"r","status":"running","inputs":${number}}\n`]))).toBe(
        INVALID,
      );
      const quoted = line.replace(number, `"\\"${number}"`);
      expect(read([...good, quoted]).entries.at(-1)).toMatchObject({ value: [`"${number}`] });
    }
    // What JavaScript writes of a double is what it reads.
    for (const value of [2 ** 53, 2 ** 60, 2 ** 70 / 3, 1e300, 0.1, 5e-324]) {
      expect(read([...good, text(entry('b', value))]).entries.at(-1)?.value).toBe(value);
    }
  });

  it('TR-11 an export that was cut short at the end of a line, or changed, is refused', async () => {
    const lines = exportedRun(await busyLife(await openSqlite()), NOW);
    const [head = '', note = '', ...rest] = lines;
    expect(read(lines).entries).toHaveLength(4);
    for (let kept = 2; kept < lines.length; kept += 1) {
      expect(await codeOf(() => read(lines.slice(0, kept)))).toBe(INVALID);
    }
    for (const changed of [
      [head, note, ...rest.toReversed()],
      [head, note, ...rest.slice(1), ...rest.slice(0, 1)],
      [head.replace('"odd"', '"ode"'), note, ...rest],
      [head, note, ...rest.map((line) => line.replace('"yes"', '"no"'))],
      [head, note.replace('"version":1', '"version":2'), ...rest],
      [head, note.replace('"version":1', '"version":1,"more":1'), ...rest],
      [head, note.replace(/"lines":\d+/, '"lines":2'), ...rest],
      [head, note.replace('"const"', '"enum"'), ...rest],
      [head, note, note, ...rest],
      [head, ...rest, note],
    ]) {
      expect(changed.join('')).not.toBe(lines.join(''));
      expect(await codeOf(() => read(changed))).toBe(INVALID);
    }
  });

  it('TR-11 an export that states a claim, or an exact value of another line, is refused also with a digest that fits', async () => {
    const whole = await busyLife(await openSqlite());
    const [head = '', note = '', ...rest] = exportedRun(whole, NOW);
    // Anyone can make the digest anew; it finds accidents.
    const forged = (change: (notes: string) => string): readonly string[] => {
      const { entry: said } = JSON.parse(note);
      const notes = change(JSON.stringify(said.value.notes));
      const hash = createHash('sha256')
        .update([head, ...rest, notes].join(''))
        .digest('hex');
      const value = { ...said.value, digest: `sha256:${hash}`, notes: JSON.parse(notes) };
      return [head, text({ type: 'entry', entry: { ...said, value } }), ...rest];
    };
    expect(read(forged((notes) => notes)).entries).toHaveLength(4);
    const claim = { type: 'claim', fence: 9, holder: 'h', until: NOW * 3, owner: '{}' };
    const changes: readonly ((notes: string) => string)[] = [
      (notes) => notes.replace('[', `[${JSON.stringify(claim)},`),
      (notes) => notes.replace('"n":{"$bigint":"9007199254740993"', '"n":{"$bigint":"9007199254740999"'),
      (notes) => notes.replace('"type":"free"', '"type":"freed"'),
      (notes) => notes.replace(/"since":\d+/, '"since":-1'),
    ];
    for (const change of changes) {
      expect(change(JSON.stringify(JSON.parse(note).entry.value.notes))).not.toBe(
        JSON.stringify(JSON.parse(note).entry.value.notes),
      );
      expect(await codeOf(() => read(forged(change)))).toBe(INVALID);
    }
  });
});

describe('an export that another kernel has added to', () => {
  const exportOf = async (): Promise<readonly string[]> => exportedRun(await busyLife(await openSqlite()), NOW);

  it('TR-22 is the run of that kernel once it has performed steps, and its program is not taken over', async () => {
    const lines = await exportOf();
    expect(read([...lines, text(entry('steps/w', 'yes')), text(entry('steps/b', 1))]).record.program).toBeUndefined();
    const decision = { type: 'entry', entry: { path: 'steps/c', kind: 'decision', decision: 'value', value: 1 } };
    expect(read([...lines, text(decision)]).record.program).toBeUndefined();
  });

  it('TR-22 stays a run of this one where that kernel has delivered an answer', async () => {
    const whole = read([...(await exportOf()), text(entry('steps/w', 'yes')), text(header())]);
    expect(whole.record).toMatchObject({ status: 'running', program });
    expect(whole.entries.at(-1)).toEqual({ path: 'steps/w', kind: 'step', value: 'yes' });
    expect(whole.waits.find(({ path }) => path === 'steps/w')).toMatchObject({ state: 'answered', schema });
  });

  it('TR-22 in a folder of journal files, put there by hand, is a run like any other', async () => {
    const directory = makeDirectory();
    mkdirSync(directory);
    plant(directory, 'r', await exportOf());
    const journal = open(directory);
    expect(await journal.readRun('r')).toMatchObject({ status: 'parked', parked: { path: 'steps/w' } });
    const again = read(exportedRun(await wholeOf(journal), NOW));
    expect(again.entries.map(({ path }) => path)).toEqual(['inputs', 'steps/a', 'steps/none', 'steps/old']);
    expect(again.record.program).toBeUndefined();
  });
});

it('TR-14 a run that cannot be kept leaves nothing, and its twin is whole', async () => {
  const whole = read([text(header()), text(entry('a', 1))]);
  const unkept: WholeRun = { ...whole, entries: [...whole.entries, { path: 'b', kind: 'step', value: () => 1 }] };
  const folder = open();
  for (const journal of [folder, await openSqlite()]) {
    expect(await codeOf(() => journal.adoptRun(unkept))).toBe('ERR_DURABLE_UNJOURNALABLE_VALUE');
    expect(await journal.readRun('r')).toBeUndefined();
    expect(await journal.adoptRun(whole)).toBe(true);
  }
  expect(readdirSync(directoryOf(folder))).toEqual(['r.ndjson']);
  expect(readdirSync(`${directoryOf(folder)}.xmd`)).toEqual(['r.ndjson']);
  expect(readFileSync(join(directoryOf(folder), 'r.ndjson'), 'utf8')).toBe(text(header()) + text(entry('a', 1)));
});

import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openJournal as openSqlite } from '../../controllers/journal-sqlite/open-journal.ts';
import { writeApplication } from './application.ts';
import { Place } from './command-line.ts';

const FOLDER = ['--journal', '.telo/runs'];

describe('a run that moves', () => {
  let place: Place;
  beforeEach(() => {
    place = new Place();
    writeApplication(place);
    // The same workflows over a folder of journal files.
    const folder = readFileSync(place.path('app/telo.yaml'), 'utf8')
      .replace('imports:\n', 'imports:\n  Files: oci://ghcr.io/telorun/durable-journal-file@0.2.0\n')
      .replace(
        'kind: DurableJournalSqlite.Journal\nmetadata: { name: runs }',
        'kind: Files.Journal\nmetadata: { name: runs }\ndirectory: .telo/runs',
      );
    place.write('app/folder.yaml', folder);
  });
  afterEach(() => place.remove());

  const effects = (): readonly string[] =>
    existsSync(place.path('app/slow/effects.log'))
      ? readFileSync(place.path('app/slow/effects.log'), 'utf8').trim().split('\n')
      : [];
  const ask = (manifest = 'app', workflow = 'asks', run = 'a'): ReturnType<Place['run']> =>
    place.run(['run', manifest, '--workflow', workflow, '--run-id', run]);
  const text = (file: string): string => readFileSync(place.path(file), 'utf8');

  it('CL-21 CL-22 TR-20 from SQLite into a folder, where it is answered and ends: nothing is done twice', async () => {
    expect((await ask()).code).toBe(2);
    expect(await place.run(['export', 'a', '-o', 'a.ndjson'])).toMatchObject({
      code: 0,
      stdout: 'Exported run a (parked, 4 entries) to a.ndjson.\n',
      stderr: '',
    });
    expect(statSync(place.path('a.ndjson')).mode & 0o777).toBe(0o600);
    expect(text('a.ndjson')).not.toContain(place.folder);
    expect(await place.run(['import', 'a.ndjson', '--journal', '.telo/runs/'])).toMatchObject({
      code: 0,
      stdout: 'Imported run a (parked, 4 entries).\nGo on with: npx telo-xmd show a --journal .telo/runs\n',
      stderr: '',
    });
    expect(effects()).toEqual(['first']);
    // What was asked came along, and so did the program.
    expect((await place.run(['answer', 'a', '{"ok":"yes"}', ...FOLDER])).code).toBe(65);
    expect((await place.run(['answer', 'a', '{"ok":true}', ...FOLDER])).code).toBe(0);
    const ended = await place.json(['resume', 'a', '--manifest', 'app/folder.yaml', ...FOLDER]);
    expect(ended).toMatchObject({
      code: 0,
      value: { status: 'completed', result: { steps: { first: { result: 'first' } } } },
    });
    expect(effects()).toEqual(['first', 'last']);
    // Where it came from it waits as before.
    expect((await place.json(['show', 'a'])).value).toMatchObject({ run: { status: 'parked' } });
  });

  it('CL-21 CL-22 TR-20 from a folder into SQLite, finding its program again from there', async () => {
    expect((await ask('app/folder.yaml')).code).toBe(2);
    const exported = await place.run(['export', 'a', ...FOLDER]);
    expect(exported).toMatchObject({ code: 0, stderr: '' });
    const taken = await place.run(['import', '-', '--journal', 'deep/er/runs.db'], { stdin: exported.stdout });
    expect(taken).toMatchObject({ code: 0, stderr: '' });
    const opened = await openSqlite({ file: place.path('deep/er/runs.db') });
    expect(await opened.readRun('a')).toMatchObject({
      program: { manifest: '../../app/folder.yaml', workflow: 'asks' },
      claimed: false,
    });
    opened.close();
    writeFileSync(place.path('app/folder.yaml'), text('app/telo.yaml'));
    const journal = ['--journal', 'deep/er/runs.db'];
    expect((await place.run(['answer', 'a', '{"ok":true}', '--resume', ...journal])).code).toBe(0);
    expect(effects()).toEqual(['first', 'last']);
  });

  it('CL-08 TR-20 a changed workflow is refused after the move as before it, and nothing is done', async () => {
    await ask();
    await place.run(['export', 'a', '-o', 'a.ndjson']);
    await place.run(['import', 'a.ndjson', '--journal', 'b.db']);
    await place.run(['answer', 'a', '{"ok":true}', '--journal', 'b.db']);
    const manifest = text('app/telo.yaml');
    writeFileSync(place.path('app/telo.yaml'), manifest.replace("'Go on?'", "'Go on, please?'"));
    const refused = await place.run(['resume', 'a', '--journal', 'b.db']);
    expect(refused.code).toBe(3);
    expect(refused.stderr).toContain('ERR_DURABLE_MANIFEST_CHANGED');
    expect(effects()).toEqual(['first']);
    writeFileSync(place.path('app/telo.yaml'), manifest);
    expect((await place.run(['resume', 'a', '--journal', 'b.db'])).code).toBe(0);
    expect(effects()).toEqual(['first', 'last']);
  });

  it('TR-20 a run that repeats steps and waits in two of them goes on after the move, as it is of this kernel', async () => {
    expect((await ask('app', 'asksTwice', 'two')).code).toBe(2);
    await place.run(['export', 'two', '-o', 'two.ndjson']);
    mkdirSync(place.path('.telo/runs'));
    await place.run(['import', 'two.ndjson', ...FOLDER]);
    const which = await place.run(['answer', 'two', '{"ok":true}', ...FOLDER]);
    expect(which.stderr).toContain('--at steps/both/iterate[0]/ask');
    expect(
      (await place.run(['answer', 'two', '{"ok":true}', '--at', 'steps/both/iterate[1]/ask', ...FOLDER])).code,
    ).toBe(0);
    expect((await place.run(['answer', 'two', '{"ok":true}', ...FOLDER])).code).toBe(0);
    expect((await place.run(['resume', 'two', '--manifest', 'app/folder.yaml', ...FOLDER])).code).toBe(0);
  });

  it('TR-20 an evaluation that was performed is not performed again, whatever became of its files', async () => {
    const fragment = '<File path="notes.md" />\n<File path="new.md">new</File>';
    const inputs = JSON.stringify({ text: fragment });
    await place.run(['run', 'app', '--workflow', 'evaluates', '--run-id', 'e', '--inputs', inputs]);
    await place.run(['export', 'e', '-o', 'e.ndjson']);
    // As a process leaves it that was killed before it wrote how the run ended: Telo's lines but for the last.
    const telo = text('e.ndjson').split('\n').slice(2, -2);
    writeFileSync(place.path('cut.ndjson'), ['{"type":"run","run":"e","status":"running"}', ...telo, ''].join('\n'));
    rmSync(place.path('app/files/new.md'));
    writeFileSync(place.path('app/files/notes.md'), 'changed\n');
    expect((await place.run(['import', 'cut.ndjson', '--journal', '.telo/runs/'])).code).toBe(0);
    const manifest = ['--manifest', 'app/folder.yaml', '--workflow', 'evaluates'];
    const ended = await place.json(['resume', 'e', ...manifest, ...FOLDER]);
    expect(ended.code).toBe(0);
    expect(JSON.stringify(ended.value)).toContain('kept\\n');
    expect(existsSync(place.path('app/files/new.md'))).toBe(false);
  });

  it('TR-21 TR-22 a run of a Telo kernel goes on in SQLite, but not where its workflow repeats steps', async () => {
    const left = (run: string): string =>
      [
        `{"type":"run","run":"${run}","status":"running"}`,
        '{"type":"entry","entry":{"path":"inputs","kind":"decision","decision":"inputs","value":{"question":"Go?"}}}',
        '{"type":"entry","entry":{"path":"steps/first/inputs","kind":"decision","decision":"inputs","value":{}}}',
        '{"type":"entry","entry":{"path":"steps/first","kind":"step","value":"there","target":{"kind":"Slow.Mark","name":"first","module":"file:///srv/telo.yaml"}}}',
        '{"type":"entry","entry":{"path":"steps/approve/token","kind":"decision","decision":"value","value":"token-of-telo-1"}}',
        `{"type":"run","run":"${run}","status":"parked","parked":{"path":"steps/approve","resource":"approval","token":"token-of-telo-1"}}`,
        '',
      ].join('\n');
    place.write('t.ndjson', left('t'));
    expect(await place.json(['import', 't.ndjson'])).toEqual({
      code: 0,
      value: { ok: true, run: 't', status: 'parked', entries: 4, program: null },
    });
    expect((await place.run(['answer', 'token-of-telo-1', '{"ok":true}'])).code).toBe(0);
    const manifest = ['--manifest', 'app', '--workflow'];
    const foreign = await place.run(['resume', 't', ...manifest, 'asksTwice']);
    expect(foreign.code).toBe(3);
    expect(foreign.stderr).toContain('ERR_DURABLE_RUN_FOREIGN');
    expect(effects()).toEqual([]);
    expect(await place.json(['resume', 't', ...manifest, 'asks'])).toMatchObject({
      code: 0,
      value: {
        status: 'completed',
        result: { steps: { first: { result: 'there' }, approve: { result: { ok: true } } } },
      },
    });
    expect(effects()).toEqual(['last']);
    const back = await place.run(['export', 't']);
    expect(back.stdout).toContain(
      '"value":"there","target":{"kind":"Slow.Mark","name":"first","module":"file:///srv/telo.yaml"}',
    );
    expect((await place.run(['import', '-', '--journal', 'x/'], { stdin: back.stdout })).code).toBe(0);
  });
});

describe('a run that does not move', () => {
  let place: Place;
  beforeEach(() => {
    place = new Place();
    writeApplication(place);
  });
  afterEach(() => place.remove());
  const ask = (run = 'a'): ReturnType<Place['run']> => place.run(['run', 'app', '--workflow', 'asks', '--run-id', run]);

  it('TR-03 is one that a living process executes; once that is gone, and once it is settled, it does', async () => {
    const running = place.start(['run', 'app', '--workflow', 'hangs', '--run-id', 'h']);
    await running.said('hanging');
    const busy = await place.run(['export', 'h', '-o', 'h.ndjson']);
    expect(busy).toMatchObject({ code: 75, stdout: '' });
    expect(busy.stderr).toContain('ERR_DURABLE_RUN_BUSY');
    expect(existsSync(place.path('h.ndjson'))).toBe(false);
    running.kill('SIGKILL');
    await running.ended;
    expect((await place.run(['export', 'h', '-o', 'h.ndjson'])).stdout).toBe(
      'Exported run h (running, 2 entries) to h.ndjson.\n',
    );
    await place.run(['cancel', 'h']);
    expect((await place.run(['export', 'h', '-o', 'over.ndjson'])).stdout).toMatch(/^Exported run h \(cancelled, /);
  });

  it('CL-22 TR-13 is one whose id the journal has: it is left as it is', async () => {
    await ask();
    await place.run(['export', 'a', '-o', 'a.ndjson']);
    await place.run(['answer', 'a', '{"ok":true}', '--resume']);
    const before = await place.json(['show', 'a']);
    const refused = await place.run(['import', 'a.ndjson']);
    expect(refused).toMatchObject({ code: 3, stdout: '' });
    expect(refused.stderr).toContain('ERR_DURABLE_RUN_EXISTS');
    expect(await place.json(['show', 'a'])).toEqual(before);
    expect((await place.run(['import', 'a.ndjson', '--journal', 'other.db'])).code).toBe(0);
  });

  it('CL-22 TR-10 is one whose file is not whole: no journal is made for it', async () => {
    await ask();
    const { stdout } = await place.run(['export', 'a']);
    place.write('a.ndjson', stdout);
    place.write('torn.ndjson', stdout.slice(0, -9));
    place.write('short.ndjson', `${stdout.trimEnd().split('\n').slice(0, -1).join('\n')}\n`);
    place.write('evil.ndjson', `${stdout}{"type":"run","run":"a","status":"\\u001b[2J"}\n`);
    for (const name of ['torn', 'short', 'evil']) {
      const refused = await place.run(['import', `${name}.ndjson`, '--journal', 'new.db']);
      expect(refused).toMatchObject({ code: 65, stdout: '' });
      expect(refused.stderr).toContain('ERR_DURABLE_TRANSFER_INVALID');
      expect(refused.stderr).not.toContain('\u001b');
    }
    expect(existsSync(place.path('new.db'))).toBe(false);
    expect((await place.run(['import', 'a.ndjson', '--journal', 'new.db'])).code).toBe(0);
  });

  it('CL-01 CL-21 CL-22 ends with the code of what was wrong, and overwrites nothing', async () => {
    await ask();
    place.write('there.ndjson', 'mine');
    mkdirSync(place.path('folder'));
    for (const [args, code] of [
      [['export'], 64],
      [['export', 'a', 'b'], 64],
      [['export', 'a', '--json'], 64],
      [['export', 'a', '-o', 'there.ndjson'], 64],
      [['export', 'nope'], 66],
      [['export', 'a', '-o', 'nowhere/a.ndjson'], 66],
      [['export', 'a', '--journal', 'nowhere.db'], 66],
      [['import'], 64],
      [['import', 'nowhere.ndjson'], 66],
      [['import', 'folder'], 66],
      [['import', 'there.ndjson'], 65],
      [['import', '-'], 65],
    ] as const) {
      expect({ args, code: (await place.run(args)).code }).toEqual({ args, code });
    }
    expect(readFileSync(place.path('there.ndjson'), 'utf8')).toBe('mine');
    expect(existsSync(place.path('nowhere.db'))).toBe(false);
    expect(await place.json(['export', 'a', '-o', 'a.ndjson'])).toEqual({
      code: 0,
      value: { ok: true, run: 'a', file: 'a.ndjson', status: 'parked', entries: 4 },
    });
    renameSync(place.path('.telo'), place.path('gone'));
    expect((await place.run(['import', 'a.ndjson'])).code).toBe(0);
    expect((await place.run(['show', 'a'])).code).toBe(0);
  });
});

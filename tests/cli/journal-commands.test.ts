import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openJournal } from '../../controllers/journal-sqlite/open-journal.ts';
import { writeApplication } from './application.ts';
import { Place } from './command-line.ts';

describe('the commands over a journal', () => {
  let place: Place;
  beforeEach(() => {
    place = new Place();
    writeApplication(place);
  });
  afterEach(() => place.remove());

  const effects = (): readonly string[] => readFileSync(place.path('app/slow/effects.log'), 'utf8').trim().split('\n');
  const ask = (run: string): ReturnType<Place['run']> =>
    place.run(['run', 'app', '--workflow', 'asks', '--run-id', run]);
  const changeWorkflow = (): void => {
    const file = place.path('app/telo.yaml');
    writeFileSync(file, readFileSync(file, 'utf8').replace("'Go on?'", "'Go on, please?'"));
  };

  it('CL-05 lists the runs with a reason each and counts those that wait', async () => {
    await ask('a');
    await ask('b');
    await place.run(['run', 'app', '--workflow', 'fails', '--run-id', 'f']);
    const { code, stdout } = await place.run(['runs']);
    expect(code).toBe(0);
    const [head, ...rows] = stdout.trim().split('\n');
    expect(head).toBe('3 runs, 2 waiting for an answer');
    expect(rows).toHaveLength(3);
    expect(stdout).toMatch(/^a {4}parked .*It waits at steps\/approve for an answer/m);
    expect(stdout).toMatch(/^f {4}failed .*It failed with .*: it broke/m);

    const failed = await place.run(['runs', '--status', 'failed']);
    expect(failed.stdout).toMatch(/^1 run, 0 waiting for an answer\nf /);
    expect(await place.json(['runs', '--status', 'parked'])).toMatchObject({
      code: 0,
      value: { ok: true, runs: [{ status: 'parked', waits: [{ path: 'steps/approve' }] }, { status: 'parked' }] },
    });
  });

  it('CL-06 tells a run from the journal alone', async () => {
    const text = '<File path="notes.md" />\n<Dir path="d"><File path="x.md">secret words</File></Dir>';
    await place.run(['run', 'app', '--workflow', 'evaluates', '--run-id', 'e', '--inputs', JSON.stringify({ text })]);
    renameSync(place.path('app'), place.path('gone'));
    const { code, stdout, stderr } = await place.run(['show', 'e']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout.split('\n').slice(3)).toEqual([
      '  ✓ apply  Xmd.Evaluate/apply  1 observation, 6 B output',
      '    · admitted  3 elements, allow read, write',
      '    ✓ File notes.md  read, 5 B',
      '    ✓ Dir d',
      '      ✓ File d/x.md  written',
      '',
      'It completed.',
      expect.stringMatching(/^ {2}a result of \d+ B$|^ {2}\{/),
      '',
    ]);
  });

  it('CL-06 prints no token, however it is asked', async () => {
    await ask('a');
    const journal = await openJournal({ file: place.path('.telo/runs.db') });
    const token = (await journal.readWaits('a')).at(0)?.token ?? '';
    journal.close();
    expect(token).toMatch(/^[\w-]{32,}$/);
    for (const args of [
      ['show', 'a'],
      ['show', 'a', '--json'],
      ['runs'],
      ['runs', '--json'],
      ['resume', 'a'],
      ['resume', 'a', '--json'],
      ['answer', 'a'],
      ['answer', 'a', '{"ok":1}'],
    ]) {
      const { stdout, stderr } = await place.run(args);
      expect(`${stdout}${stderr}`).not.toContain(token);
      expect(stdout).not.toMatch(/"token"/);
    }
    expect((await place.run(['answer', token, '{"ok":true}'])).code).toBe(0);
  });

  it('CL-07 delivers to one open wait, and executes nothing', async () => {
    await ask('a');
    expect(await place.run(['answer', 'a', '{"ok":true}'])).toMatchObject({
      code: 0,
      stdout: 'Answered steps/approve of run a.\nContinue it with: npx telo-xmd resume a\n',
      stderr: '',
    });
    expect(effects()).toEqual(['first']);
    const second = await place.json(['answer', 'a', '{"ok":false}']);
    expect(second).toMatchObject({ code: 3, value: { ok: false, delivered: false } });
    expect(await place.run(['resume', 'a'])).toMatchObject({ code: 0, stdout: '' });
    expect(effects()).toEqual(['first', 'last']);
  });

  it('CL-07 goes on at once with --resume, one document with --json', async () => {
    await ask('a');
    expect(await place.json(['answer', 'a', '{"ok":true}', '--resume'])).toMatchObject({
      code: 0,
      value: { ok: true, run: 'a', status: 'completed' },
    });
  });

  it('CL-07 says why an answer was not taken', async () => {
    await ask('a');
    const wrong = await place.run(['answer', 'a', '{"ok":"yes","more":1}']);
    expect(wrong.code).toBe(65);
    expect(wrong.stderr).toContain(
      'The answer was not taken: it is not of the shape that run a waits for.  ERR_DURABLE_PAYLOAD_INVALID\n  ',
    );
    const unknown = await place.run(['answer', 'nobody', '{"ok":true}']);
    expect(unknown.stderr).toContain('no run and no token of that name');
    expect(unknown.stderr).toContain('  ERR_CLI_NOT_FOUND\n');
    await place.run(['cancel', 'a']);
    const over = await place.run(['answer', 'a', '{"ok":true}']);
    expect(over).toMatchObject({
      code: 3,
      stderr: 'The answer was not taken: run a is cancelled.  ERR_CLI_ANSWER_REFUSED\n',
    });
  });

  it('CL-07 shows what a run asks where no answer is given or it does not fit, and answers nothing', async () => {
    const question = 'Go on?\n\u001b[2J\u202eno';
    const inputs = JSON.stringify({ question });
    await place.run(['run', 'app', '--workflow', 'asks', '--run-id', 'q', '--inputs', inputs]);
    const asked = [
      'approve asks:',
      '  Go on?',
      String.raw`  \u001b[2J\u202eno`,
      `  npx telo-xmd answer q '{"ok":true}' --resume`,
      '',
    ].join('\n');
    expect(await place.run(['answer', 'q'])).toEqual({ code: 64, signal: null, stdout: '', stderr: asked });
    const wrong = await place.run(['answer', 'q', '{"ok":"yes"}']);
    expect(wrong.code).toBe(65);
    expect(wrong.stderr.endsWith(`\n${asked}`)).toBe(true);
    const document = await place.json(['answer', 'q']);
    expect(document).toMatchObject({ code: 64, value: { ok: false, error: { code: 'ERR_CLI_USAGE' } } });
    expect((await place.run(['answer', 'nobody'])).code).toBe(66);

    // The twin: none of these was an answer.
    expect((await place.run(['answer', 'q', '{"ok":true}', '--resume'])).code).toBe(0);
    expect((await place.run(['answer', 'q'])).stderr).toContain('no answer is given  ERR_CLI_USAGE\n');
  });

  it('CL-07 asks for --at where several waits are open, and takes answers in either order', async () => {
    await place.run(['run', 'app', '--workflow', 'asksTwice', '--run-id', 'two']);
    const which = await place.run(['answer', 'two', '{"ok":true}']);
    expect(which.code).toBe(64);
    expect(which.stderr).toContain('ERR_CLI_USAGE');
    expect(which.stderr).toContain('--at steps/both/iterate[0]/ask');
    const one = await place.run(['answer', 'two', '{"ok":5}', '--at', 'steps/both/iterate[1]/ask']);
    expect(one.stderr.match(/answer two .*--at \S+/g)).toEqual([
      expect.stringMatching(/--at '?steps\/both\/iterate\[1\]\/ask'?$/),
    ]);
    const second = ['answer', 'two', '{"ok":true}', '--at', 'steps/both/iterate[1]/ask'];
    expect((await place.run([...second, '--resume'])).code).toBe(2);
    expect((await place.run(['answer', 'two', '{"ok":true}', '--resume'])).code).toBe(0);
    expect((await place.run(second)).code).toBe(3);
  });

  it('CL-08 finds the manifest through the record, and with --manifest where it was moved', async () => {
    await ask('a');
    await ask('b');
    for (const run of ['a', 'b']) await place.run(['answer', run, '{"ok":true}']);
    expect((await place.run(['resume', 'a'])).code).toBe(0);
    renameSync(place.path('app'), place.path('moved'));
    expect((await place.run(['resume', 'b'])).code).toBe(66);
    expect((await place.run(['resume', 'b', '--manifest', 'moved'])).code).toBe(0);
  });

  it('CL-08 refuses a changed workflow resource unless --force, which is recorded', async () => {
    await ask('a');
    await place.run(['answer', 'a', '{"ok":true}']);
    changeWorkflow();
    const refused = await place.run(['resume', 'a']);
    expect(refused.code).toBe(3);
    expect(refused.stderr).toContain('ERR_DURABLE_MANIFEST_CHANGED');
    expect(effects()).toEqual(['first']);
    expect((await place.run(['resume', 'a', '--force', '--reason', 'a better question'])).code).toBe(0);
    expect(effects()).toEqual(['first', 'last']);
    expect((await place.run(['show', 'a'])).stdout).toMatch(
      /forced on another version of the workflow {2}.*: a better question/,
    );
  });

  it('CL-08 resumes a run whose manifest changed elsewhere', async () => {
    await ask('a');
    await place.run(['answer', 'a', '{"ok":true}']);
    const file = place.path('app/telo.yaml');
    writeFileSync(file, readFileSync(file, 'utf8').replace('default: hello', 'default: goodbye'));
    expect((await place.run(['resume', 'a'])).code).toBe(0);
  });

  it('CL-08 continues every due run with --all, one document with --json', async () => {
    for (const run of ['a', 'b', 'c']) await ask(run);
    expect(await place.json(['resume', '--all'])).toEqual({ code: 0, value: { ok: true, runs: [] } });
    for (const run of ['a', 'c']) await place.run(['answer', run, '{"ok":true}']);
    const all = await place.json(['resume', '--all']);
    expect(all).toMatchObject({ code: 0, value: { ok: true } });
    expect(all.value['runs']).toHaveLength(2);
    expect(await place.run(['resume', '--all'])).toMatchObject({ code: 0, stdout: 'No run is due.\n' });
  });

  it('CL-09 settles a run that is not settled, with its reason, once', async () => {
    await ask('a');
    expect(await place.run(['cancel', 'a', '--reason', 'not needed'])).toMatchObject({
      code: 0,
      stdout: 'Run a is cancelled.\n',
    });
    expect((await place.run(['show', 'a'])).stdout).toContain('It was cancelled: ');
    expect((await place.run(['show', 'a'])).stdout).toContain('not needed');
    expect((await place.run(['resume', 'a'])).code).toBe(1);
    expect(effects()).toEqual(['first']);
    const done = await place.json([
      'run',
      'app',
      '--workflow',
      'evaluates',
      '--run-id',
      'e',
      '--inputs',
      '{"text":""}',
    ]);
    expect(done.code).toBe(0);
    expect(await place.json(['cancel', 'e'])).toMatchObject({ code: 3, value: { ok: false, status: 'completed' } });
  });

  it('CL-09 keeps a process that executes the run from a further effect and a further record', async () => {
    const running = place.start(['run', 'app', '--workflow', 'hangs', '--run-id', 'h']);
    await running.said('hanging');
    expect((await place.run(['cancel', 'h'])).code).toBe(0);
    running.kill('SIGINT');
    await running.ended;
    expect(effects()).toEqual(['first', 'hang']);
    expect(await place.json(['show', 'h'])).toMatchObject({
      value: { run: { status: 'cancelled' }, entries: [{ path: 'inputs' }, { path: 'steps/first' }] },
    });
  });

  it('CL-12 makes no journal with a command that only reads', async () => {
    for (const args of [
      ['runs'],
      ['show', 'a'],
      ['answer', 'a', '{}'],
      ['answer', 'a'],
      ['resume', 'a'],
      ['resume', '--all'],
      ['cancel', 'a'],
    ]) {
      expect((await place.run(args)).code).toBe(66);
    }
    expect(existsSync(place.path('.telo'))).toBe(false);
    await ask('a');
    expect(readdirSync(place.path('.telo'))).toContain('runs.db');
  });

  it('takes the journal that --journal names, then the variable, then the default', async () => {
    const env = { TELO_XMD_JOURNAL: place.path('named.db') };
    const args = ['run', 'app', '--workflow', 'asks', '--run-id'];
    await place.run([...args, 'v'], { env });
    await place.run([...args, 'o', '--journal', 'option.db'], { env });
    await place.run([...args, 'd']);
    const names = async (...more: readonly string[]): Promise<string> => (await place.run(['runs', ...more])).stdout;
    expect(await names('--journal', 'named.db')).toMatch(/^1 run.*\nv /);
    expect(await names('--journal', 'option.db')).toMatch(/^1 run.*\no /);
    expect(await names()).toMatch(/^1 run.*\nd /);
  });
});

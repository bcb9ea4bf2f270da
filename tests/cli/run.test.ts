import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { writeApplication } from './application.ts';
import { Place } from './command-line.ts';

describe('telo-xmd run', () => {
  let place: Place;
  beforeEach(() => {
    place = new Place();
    writeApplication(place);
  });
  afterEach(() => place.remove());

  const effects = (): readonly string[] => readFileSync(place.path('app/slow/effects.log'), 'utf8').trim().split('\n');

  it('CL-02 boots the targets without a run id, inputs or workflow, with variables as stated', async () => {
    expect(await place.run(['run', 'app'])).toMatchObject({ code: 0, stdout: 'hello\n', stderr: '' });
    expect(await place.run(['run', 'app/telo.yaml', '--var', 'greeting=good day'])).toMatchObject({
      code: 0,
      stdout: 'good day\n',
    });
  });

  it('CL-02 says which workflows there are where a manifest has no targets', async () => {
    place.write(
      'app/telo.yaml',
      readFileSync(place.path('app/telo.yaml'), 'utf8').replace('targets: [!ref greet]', ''),
    );
    const { code, stderr } = await place.run(['run', 'app']);
    expect(code).toBe(0);
    expect(stderr).toContain('Nothing was started: the manifest has no targets.\nIts workflows: evaluates, asks, ');
    expect(stderr).toContain("npx telo-xmd run app --workflow evaluates --inputs '{}'\n");
  });

  it('CL-02 tells inputs that make no run id, and starts nothing', async () => {
    const named = 'journal: !ref runs\nrunId: !cel "\'e:\' + inputs.text"\ninputs: { text: !cel inputs.text }';
    const plain = 'journal: !ref runs\ninputs: { text: !cel inputs.text }';
    place.write('app/telo.yaml', readFileSync(place.path('app/telo.yaml'), 'utf8').replace(plain, named));
    const wrong = await place.run(['run', 'app', '--workflow', 'evaluates', '--inputs', '{}']);
    expect(wrong.code).toBe(65);
    expect(wrong.stderr).toContain("Missing key 'text' in inputs.");
    expect(wrong.stderr).toContain('ERR_DURABLE_RUN_ID_INVALID');
    expect((await place.run(['run', 'app', '--workflow', 'evaluates', '--inputs', '{"text":""}'])).code).toBe(0);
    expect(await place.json(['runs'])).toMatchObject({ value: { runs: [{ run: 'e:' }] } });
  });

  it('CL-02 starts the named workflow, and attaches to the run that exists', async () => {
    const first = await place.json(['run', 'app', '--workflow', 'asks', '--run-id', 'one']);
    expect(first).toMatchObject({ code: 2, value: { ok: false, runs: [{ run: 'one', status: 'parked' }] } });
    const again = await place.json(['run', 'app', '--workflow', 'asks', '--run-id', 'one']);
    expect(again).toMatchObject({ code: 2, value: { runs: [{ run: 'one', status: 'parked' }] } });
    expect(effects()).toEqual(['first']);
  });

  it('CL-02 reads inputs as text, from a file and from standard input', async () => {
    const inputs = JSON.stringify({ text: 'plain words' });
    place.write('inputs.json', inputs);
    const args = ['run', 'app', '--workflow', 'evaluates', '--json', '--inputs'];
    for (const [stated, stdin] of [[inputs], ['@inputs.json'], ['-', inputs]] as const) {
      const { code, stdout } = await place.run([...args, stated], stdin === undefined ? {} : { stdin });
      expect(code).toBe(0);
      expect(JSON.parse(stdout)).toMatchObject({
        runs: [{ status: 'completed', result: { steps: { apply: { result: { output: 'plain words' } } } } }],
      });
    }
  });

  it('CL-02 asks which workflow is meant where there are several, and knows only those', async () => {
    const several = await place.run(['run', 'app', '--inputs', '{}']);
    expect(several).toMatchObject({ code: 64, stdout: '' });
    expect(several.stderr).toContain('Add --workflow with one of: evaluates, asks,');
    const none = await place.run(['run', 'app', '--workflow', 'nope']);
    expect(none).toMatchObject({ code: 66, stdout: '' });
    expect(none.stderr).toContain('"nope"');
  });

  it('CL-13 prints one document on standard output, also when targets print lines', async () => {
    const booted = await place.run(['run', 'app', '--json']);
    expect(JSON.parse(booted.stdout)).toEqual({ ok: true, runs: [] });
    expect(booted.stderr).toBe('hello\n');
    const failed = await place.run(['run', 'app', '--workflow', 'nope', '--json']);
    expect(JSON.parse(failed.stdout)).toMatchObject({ ok: false, error: { code: 'ERR_CLI_NOT_FOUND' } });
    expect(failed.stderr).toBe('');
  });

  it('CL-13 keeps progress and sentences off standard output', async () => {
    const { stdout, stderr } = await place.run(['run', 'app', '--workflow', 'asks', '--run-id', 'one']);
    expect(stdout).toBe('');
    expect(stderr).toContain('✓ first  Slow.Mark/first');
  });

  it('CL-14 says what a parked run waits for, since when, and the exact command that answers it', async () => {
    const { stderr } = await place.run([
      'run',
      'app',
      '--workflow',
      'asks',
      '--run-id',
      'it is',
      '--journal',
      'a b.db',
    ]);
    expect(stderr).toMatch(
      /^Run it is is parked\. It waits at steps\/approve for an answer \(Durable\.Await\/approval\), since 20\d\d-\S+Z\.$/m,
    );
    const command = /Answer it with: npx telo-xmd (.*)$/m.exec(stderr)?.[1];
    expect(command).toBe(`answer 'it is' '{"ok":true}' --resume --journal 'a b.db'`);
    const answered = await place.run(['answer', 'it is', '{"ok":true}', '--resume', '--journal', 'a b.db']);
    expect(answered).toMatchObject({ code: 0 });
    expect(effects()).toEqual(['first', 'last']);
  });

  it('CL-14 names the place in the command when several waits are open', async () => {
    const { stderr } = await place.run(['run', 'app', '--workflow', 'asksTwice', '--run-id', 'two']);
    expect(stderr).toContain(`answer two '{"ok":true}' --at 'steps/both/iterate[0]/ask' --resume`);
    expect(stderr).toContain(`answer two '{"ok":true}' --at 'steps/both/iterate[1]/ask' --resume`);
  });

  it('shows nested effects below their step with what they are about, replayed ones marked, and no contents', async () => {
    const text = '<File path="notes.md" />\n<Dir path="d"><File path="x.md">secret words</File></Dir>';
    const args = ['run', 'app', '--workflow', 'evaluates', '--run-id', 'e', '--inputs', JSON.stringify({ text })];
    const { stderr } = await place.run(args);
    expect(stderr.split('\n').slice(0, 6)).toEqual([
      'e  evaluates',
      '  ▸ apply  Xmd.Evaluate/apply',
      '    · admitted  3 elements, allow read, write',
      '    ✓ File notes.md  read, 5 B',
      '    ✓ Dir d',
      '      ✓ File d/x.md  written',
    ]);
    expect(stderr).not.toMatch(/kept|secret/);

    await place.run(['run', 'app', '--workflow', 'asks', '--run-id', 'a']);
    const resumed = await place.run(['answer', 'a', '{"ok":true}', '--resume']);
    expect(resumed.stderr).toContain('↺ first  Slow.Mark/first  "first"  replayed');
    expect(resumed.stderr).toContain('↺ approve  {"ok":true}  replayed');
    expect(resumed.stderr).toContain('✓ last  Slow.Mark/last');
  });
});

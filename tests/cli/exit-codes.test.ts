import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { EXIT, exitCodeOf } from '../../kernel/cli/exit-codes.ts';
import { exitCodeOfRun, worstOf } from '../../kernel/cli/settle.ts';
import { writeApplication } from './application.ts';
import { Place } from './command-line.ts';

const evaluate = (text: string): readonly string[] => [
  'run',
  'app',
  '--workflow',
  'evaluates',
  '--inputs',
  JSON.stringify({ text }),
];

describe('exit codes', () => {
  let place: Place;
  beforeEach(() => {
    place = new Place();
    writeApplication(place);
  });
  afterEach(() => place.remove());

  it('CL-01 ends with 0, 1, 2 and 3 for completed, failed, suspended and refused', async () => {
    expect((await place.run(evaluate('<File path="notes.md" />'))).code).toBe(0);
    expect((await place.run(evaluate('<File path="missing.md" />'))).code).toBe(1);
    expect((await place.run(['run', 'app', '--workflow', 'fails'])).code).toBe(1);
    expect((await place.run(['run', 'app', '--workflow', 'asks'])).code).toBe(2);
    expect((await place.run(evaluate('<Nope />'))).code).toBe(3);
  });

  it('CL-01 ends with 64 for a command line that cannot be read', async () => {
    for (const args of [
      [],
      ['nope'],
      ['run'],
      ['run', 'app', 'more'],
      ['run', 'app', '--nope'],
      ['run', 'app', '--var', 'novalue'],
      ['show'],
      ['answer'],
      ['resume'],
      ['resume', '--all', 'x'],
      ['cancel'],
      ['runs', '--status', 'nope'],
      ['runs', 'x'],
      ['preflight', '-'],
      ['check'],
    ]) {
      const { code, stdout, stderr } = await place.run(args);
      expect({ args, code, stdout }).toEqual({ args, code: 64, stdout: '' });
      expect(stderr).not.toBe('');
    }
  });

  it('CL-01 ends with 65 for input that is not valid', async () => {
    place.write('broken.yaml', 'kind: [');
    place.write('latin.json', Uint8Array.of(0x22, 0xe9, 0x22));
    place.write('no.db', 'This is a text and no database, long enough to be read as a header of one.'.repeat(40));
    await place.run(['run', 'app', '--workflow', 'asks', '--run-id', 'a']);
    for (const args of [
      ['run', 'broken.yaml'],
      ['run', 'app/slow/telo.yaml'],
      ['check', 'broken.yaml'],
      ['run', 'app', '--workflow', 'asks', '--inputs', '{'],
      ['run', 'app', '--workflow', 'asks', '--inputs', '[]'],
      ['run', 'app', '--workflow', 'asks', '--inputs', '@latin.json'],
      ['answer', 'a', '{"ok":"yes"}'],
      ['answer', 'a', 'yes'],
      ['runs', '--journal', 'no.db'],
      ['preflight', 'app/files/notes.md', '--manifest', 'app', '--evaluate', 'apply', '--allow', 'all'],
    ]) {
      expect({ args, code: (await place.run(args)).code }).toEqual({ args, code: 65 });
    }
  });

  it('CL-01 ends with 66 for what is not there', async () => {
    expect((await place.run(['runs'])).code).toBe(66);
    await place.run(['run', 'app', '--workflow', 'asks', '--run-id', 'a']);
    for (const args of [
      ['run', 'nowhere'],
      ['show', 'nope'],
      ['answer', 'nope', '{}'],
      ['answer', 'a', '@nowhere.json'],
      ['resume', 'nope'],
      ['cancel', 'nope'],
      ['preflight', 'nowhere.xmd', '--manifest', 'app', '--evaluate', 'apply'],
      ['preflight', 'app/files/notes.md', '--manifest', 'app', '--evaluate', 'nope'],
      ['preflight', 'app/files/notes.md', '--manifest', 'app', '--evaluate', 'runs'],
      ['check', 'nowhere'],
    ]) {
      expect({ args, code: (await place.run(args)).code }).toEqual({ args, code: 66 });
    }
  });

  it('CL-01 ends with 75 while another process executes the run', async () => {
    const running = place.start(['run', 'app', '--workflow', 'hangs', '--run-id', 'h']);
    await running.said('hanging');
    const second = await place.run(['resume', 'h']);
    expect(second.code).toBe(75);
    expect(second.stderr).toContain('another process');
    const attached = await place.run(['run', 'app', '--workflow', 'hangs', '--run-id', 'h']);
    expect(attached.code).toBe(75);
    running.kill('SIGINT');
    expect((await running.ended).code).toBe(130);
  });

  it('CL-01 says the code of every end and takes the one that says most of several', () => {
    expect(exitCodeOfRun({ run: 'r', status: 'cancelled' })).toBe(EXIT.failed);
    expect(exitCodeOfRun({ run: 'r', status: 'scheduled' })).toBe(EXIT.suspended);
    expect(exitCodeOfRun({ run: 'r', status: 'running' })).toBe(EXIT.busy);
    const problem = { code: 'ERR_XMD_POLICY_CHANGED', message: '' };
    expect(exitCodeOfRun({ run: 'r', status: 'running', problem })).toBe(EXIT.refused);
    for (const why of ['LOCKED', 'FULL', 'READONLY', 'UNAVAILABLE']) {
      const journal = { code: `ERR_DURABLE_JOURNAL_${why}`, message: '' };
      expect(exitCodeOf(journal.code)).toBe(EXIT.busy);
      expect(exitCodeOfRun({ run: 'r', status: 'running', problem: journal })).toBe(EXIT.busy);
    }
    expect(exitCodeOf('ERR_DURABLE_JOURNAL_CORRUPT')).toBe(EXIT.invalidInput);
    expect(exitCodeOf('ERR_OF_SOMEONE_ELSE')).toBe(EXIT.failed);
    expect(worstOf([EXIT.completed, EXIT.suspended])).toBe(EXIT.suspended);
    expect(worstOf([EXIT.suspended, EXIT.failed, EXIT.refused])).toBe(EXIT.failed);
    expect(worstOf([])).toBe(EXIT.completed);
  });
});

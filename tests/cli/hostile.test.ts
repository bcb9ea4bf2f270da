import { mkdirSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { printable, printableLines } from '../../kernel/cli/printable.ts';
import { EVIL, writeApplication } from './application.ts';
import { type Ended, Place } from './command-line.ts';

// Everything that a terminal would obey or hide; line feeds are the lines that we print ourselves.
// oxlint-disable-next-line no-control-regex -- these are exactly the characters to find
const DECEIVING = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/;
const STACK = /^\s+at .*[(/].*:\d+|node:internal|Uncaught|UnhandledPromise/m;

const printed = ({ stdout, stderr }: Ended): string => `${stdout}${stderr}`;

describe('input of any kind', () => {
  let place: Place;
  beforeEach(() => {
    place = new Place();
    writeApplication(place);
  });
  afterEach(() => place.remove());

  it('CL-15 never makes the command print a stack, and every failure has a code and a sentence', async () => {
    mkdirSync(place.path('folder.yaml'));
    mkdirSync(place.path('folder.db'));
    place.write(
      'binary.yaml',
      Uint8Array.from({ length: 4096 }, (_, index) => (index * 7919) % 256),
    );
    place.write('latin.yaml', Uint8Array.of(0x6b, 0x3a, 0x20, 0xe9, 0x0a));
    place.write('broken.yaml', 'kind: [\n  - {');
    place.write('empty.yaml', '');
    place.write('list.yaml', '- 1\n- 2\n');
    place.write('alias.yaml', 'a: &a [x, x]\nb: &b [*a, *a, *a]\nc: [*b, *b, *b]\n');
    place.write('proto.yaml', 'kind: Telo.Application\nmetadata: { name: P, version: 1.0.0 }\n__proto__: { x: 1 }\n');
    place.write('text.db', 'no database at all, '.repeat(100));
    place.write('short.db', 'SQLite format 3\u0000');
    const long = 'x'.repeat(100_000);
    for (const args of [
      ['run', 'missing.yaml'],
      ['run', 'folder.yaml'],
      ['run', 'binary.yaml'],
      ['run', 'latin.yaml'],
      ['run', 'broken.yaml'],
      ['run', 'empty.yaml'],
      ['run', 'list.yaml'],
      ['run', 'alias.yaml'],
      ['run', 'proto.yaml'],
      ['run', 'app/slow/telo.yaml'],
      ['run', long],
      ['run', 'app', '--workflow', '__proto__'],
      ['run', 'app', '--var', '__proto__=x'],
      ['run', 'app', '--workflow', 'asks', '--inputs', '[1'],
      ['run', 'app', '--workflow', 'asks', '--inputs', '@folder.yaml'],
      ['run', 'app', '--workflow', 'evaluates', '--inputs', '{"text":7}'],
      ['run', 'app', '--workflow', 'asks', '--journal', 'folder.db'],
      ['run', 'app', '--workflow', 'asks', '--journal', 'text.db'],
      ['check', 'binary.yaml', 'latin.yaml', 'broken.yaml', 'empty.yaml', 'list.yaml', 'alias.yaml', 'proto.yaml'],
      ['check', '--nope'],
      ['show', long],
      ['show', 'x', '--journal', 'folder.db'],
      ['show', 'x', '--journal', 'text.db'],
      ['runs', '--journal', 'short.db'],
      ['runs', '--journal'],
      ['answer', 'x', '@broken.yaml'],
      ['answer', '', ''],
      ['resume', '', '--manifest', 'folder.yaml'],
      ['cancel', '\u0000'.replace('\u0000', '%00')],
      ['preflight', 'binary.yaml', '--manifest', 'app', '--evaluate', 'apply'],
      ['preflight', 'folder.yaml', '--manifest', 'app', '--evaluate', 'apply'],
      ['preflight', 'app/files/notes.md', '--manifest', 'folder.yaml', '--evaluate', 'apply'],
      ['help', 'nope'],
      ['-x'],
    ]) {
      const ended = await place.run(args);
      const what = args.map((word) => word.slice(0, 40)).join(' ');
      expect({ what, code: ended.code, signal: ended.signal }).toEqual({
        what,
        code: expect.toBeOneOf([1, 3, 64, 65, 66, 75]),
        signal: null,
      });
      const said = printed(ended);
      expect({ what, said }).toEqual({ what, said: expect.not.stringMatching(STACK) });
      expect({ what, said }).toEqual({ what, said: expect.not.stringMatching(/TypeError|RangeError|undefined/) });
      expect({ what, said }).toEqual({ what, said: expect.stringMatching(/[A-Z]+_[A-Z_]+/) });
    }
  });

  it('CL-15 does as much for a reader that goes away', async () => {
    const { code, stderr } = await place.run(['check', 'app'], { stdin: 'x'.repeat(1_000_000) });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  });

  it('CL-10 escapes what a fragment, an answer, a name, a question or an error brings along', async () => {
    const file = place.write(`app/files/${EVIL.replaceAll('\u001b', '')}.md`, `${EVIL}\nmore ${EVIL}`);
    expect(file).toContain('\u202e');
    const run = (workflow: string, id: string, inputs: unknown): Promise<Ended> =>
      place.run(['run', 'app', '--workflow', workflow, '--run-id', id, '--inputs', JSON.stringify(inputs)]);
    const text = `${EVIL}\n\n<File path="${EVIL.replaceAll('\u001b', '')}.md" />\n`;
    const ended = [
      await run('evaluates', `e ${EVIL}`, { text }),
      await run('fails', 'f', {}),
      await run('asks', 'a', { question: `Go on? ${EVIL}\nReally?` }),
      await place.run(['show', 'a']),
      await place.run(['answer', 'a', JSON.stringify({ ok: true, remark: EVIL }), '--resume']),
      await place.run(['show', 'a']),
      await place.run(['show', `e ${EVIL}`]),
      await place.run(['show', 'f']),
      await place.run(['runs']),
      await place.run(['show', EVIL]),
      await place.run(['run', EVIL]),
      await place.run(['run', 'app', '--var', EVIL]),
      await place.run(['run', 'app', `--${EVIL}`]),
      await place.run([EVIL]),
      await place.run(['runs', '--status', EVIL]),
      await place.run(['runs', '--journal', EVIL]),
      await place.run(['preflight', EVIL, '--manifest', 'app', '--evaluate', 'apply']),
      await place.run(['preflight', '-', '--manifest', 'app', '--evaluate', 'apply'], { stdin: text }),
      await place.run(['answer', 'a', `{"ok": ${EVIL}}`]),
      await place.run(['check', 'app', EVIL]),
    ];
    for (const [index, one] of ended.entries()) {
      const said = printed(one);
      expect({ index, said }).toEqual({ index, said: expect.not.stringMatching(DECEIVING) });
      expect({ index, said }).not.toEqual({ index, said: '' });
    }
    expect(printed(ended[4] ?? { code: 0, signal: null, stdout: '', stderr: '' })).toContain('\\u202e');
  });

  it('CL-10 escapes in --json as well, so that the document says the same and the terminal shows it', async () => {
    await place.run([
      'run',
      'app',
      '--workflow',
      'asks',
      '--run-id',
      'a',
      '--inputs',
      JSON.stringify({ question: EVIL }),
    ]);
    for (const args of [
      ['show', 'a', '--json'],
      ['runs', '--json'],
      ['resume', 'a', '--json'],
    ]) {
      const { stdout } = await place.run(args);
      expect(stdout).not.toMatch(DECEIVING);
      expect(JSON.stringify(JSON.parse(stdout))).toContain(JSON.stringify(EVIL).slice(1, -1));
    }
  });

  it('CL-10 keeps ordinary text of any language as it is', () => {
    const text = 'naïve 日本語 🎉 עברית ﷺ e\u0301';
    expect(printable(text)).toBe(text);
    expect(printable('a\tb\nc')).toBe('a\\tb\\nc');
    expect(printableLines('a\nb\r\n')).toBe('a\nb\\r\n');
    expect(printable('\ud800 \u{e0041}')).toBe('\\ud800 \\u{e0041}');
  });
});

import { existsSync, readdirSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { writeApplication } from './application.ts';
import { Place, ROOT } from './command-line.ts';

const preflight = (source: string, ...more: readonly string[]): readonly string[] => [
  'preflight',
  source,
  '--manifest',
  'app',
  '--evaluate',
  'apply',
  '--json',
  ...more,
];

/** The same for a person. */
const shown = (source: string): readonly string[] => preflight(source).filter((word) => word !== '--json');

describe('telo-xmd check and preflight', () => {
  let place: Place;
  beforeEach(() => {
    place = new Place();
    writeApplication(place);
  });
  afterEach(() => place.remove());

  it('CL-03 finds nothing in a manifest that is right, and runs nothing', async () => {
    expect(await place.run(['check', 'app'])).toMatchObject({ code: 0, stdout: '✓  No issues found\n', stderr: '' });
    expect(existsSync(place.path('app/slow/effects.log'))).toBe(false);
    expect(existsSync(place.path('.telo'))).toBe(false);
  });

  it('CL-03 reports every finding with file, line, column, severity, message and code', async () => {
    place.write(
      'bad.yaml',
      [
        'kind: Telo.Application',
        'metadata: { name: Bad, version: 2.0.0 }',
        'imports: { Console: oci://ghcr.io/telorun/console@latest }',
        'targets: [!ref nowhere]',
        '---',
        'kind: Console.WriteLin',
        'metadata: { name: line }',
        '',
      ].join('\n'),
    );
    const { code, stdout } = await place.run(['check', 'bad.yaml', 'app']);
    expect(code).toBe(65);
    for (const line of stdout.trim().split(/\n(?! )/)) {
      expect(line).toMatch(/^bad\.yaml:\d+:\d+ {2}error {2}\S.* {2}[A-Z_]+$/m);
    }
    expect(stdout).toMatch(/^bad\.yaml:4:\d+ {2}error {2}.*nowhere/m);
    expect(stdout).toMatch(/^bad\.yaml:6:\d+ {2}error {2}.*WriteLin/m);

    const document = await place.json(['check', 'bad.yaml']);
    expect(document.code).toBe(65);
    expect(JSON.stringify(document.value)).toContain('nowhere');
  });

  const STATED = (text: string, root = 'files', more = '') => `kind: Telo.Application
metadata: { name: Stated, version: 1.0.0 }
imports: { Xmd: ${ROOT}/manifests/xmd }
${more}---
kind: Xmd.Profile
metadata: { name: files }
root: ${root}
grants: [read]
---
kind: Xmd.Evaluate
metadata: { name: apply }
text: |
  ${text}
`;

  it('CL-03 says of a text that is written out how it will be refused, at its line, and nothing of one that is admitted', async () => {
    place.write('app/stated.yaml', STATED('<File path="notes.md">no</File>'));
    const { code, stdout } = await place.run(['check', 'app/stated.yaml']);
    expect(code).toBe(65);
    expect(stdout).toMatch(
      /^app\/stated\.yaml:12:\d+ {2}error {2}The text of apply will be refused: content, at line 1, column 1 of it {2}XMD_TEXT_REFUSED$/m,
    );
    place.write('app/stated.yaml', STATED('<File path="notes.md" />'));
    expect(await place.run(['check', 'app/stated.yaml'])).toMatchObject({ code: 0, stdout: '✓  No issues found\n' });
    place.write(
      'app/stated.yaml',
      STATED('<Nobody />', 'files', 'variables: { needed: { env: NEEDED, type: string } }\n'),
    );
    expect(await place.run(['check', 'app/stated.yaml'])).toMatchObject({ code: 0 });
    expect(readdirSync(place.path('app/files'))).toEqual(['notes.md']);
    expect(existsSync(place.path('.telo'))).toBe(false);
  });

  it('CL-03 M-23 warns of a root that is no folder, at its line', async () => {
    for (const [root, message] of [
      ['gone', 'There is no folder'],
      ['telo.yaml', 'What has this name is no folder'],
    ] as const) {
      place.write('app/stated.yaml', STATED('<File path="notes.md" />', root));
      const { code, stdout } = await place.run(['check', 'app/stated.yaml']);
      expect(code).toBe(0);
      expect(stdout).toMatch(
        new RegExp(`^app/stated\\.yaml:7:7 {2}warning {2}${message}.* {2}PROFILE_ROOT_MISSING$`, 'm'),
      );
    }
  });

  it('CL-04 prints what a fragment would do, performs nothing and records nothing', async () => {
    place.write('plan.xmd', 'Words.\n\n<Dir path="d"><File path="x.md">hey</File></Dir>\n');
    const { code, stdout, stderr } = await place.run(preflight('plan.xmd'));
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(JSON.parse(stdout)).toMatchObject({
      version: 2,
      admitted: true,
      effects: [
        { name: 'Dir', form: 'paired', grant: 'write', input: { path: 'd' } },
        { name: 'File', form: 'paired', grant: 'write', input: { path: 'd/x.md' } },
      ],
    });
    expect(readdirSync(place.path('app/files'))).toEqual(['notes.md']);
    expect(existsSync(place.path('.telo'))).toBe(false);
  });

  it('CL-04 prints the refusal as data without a word of the fragment, and ends with 3', async () => {
    const { code, stdout, stderr } = await place.run(preflight('-'), { stdin: 'Words.\n\n  <Secretive path="x" />\n' });
    expect({ code, stderr }).toEqual({ code: 3, stderr: '' });
    expect(JSON.parse(stdout)).toEqual({
      version: 2,
      admitted: false,
      rendering:
        'Refused, nothing would be done. The fragment names an element that is not admitted: line 3, column 3 (component).\n',
      refusal: { class: 'component', line: 3, column: 3 },
    });
  });

  it('CL-04 a fragment that Evaluate would refuse for a secret is not admitted, and no word of it is printed', async () => {
    const secret = `ghp_${'wWPw5k4aXcaT4fNP0UcnZwJUVFk6LO0pINUx'.slice(0, 36)}`;
    const stdin = `Words.\n<File path="x.md">${secret}</File>\n`;
    const { code, stdout, stderr } = await place.run(preflight('-'), { stdin });
    expect({ code, stderr }).toEqual({ code: 3, stderr: '' });
    expect(JSON.parse(stdout)).toMatchObject({ version: 2, admitted: false, secret: { within: 'text', line: 2 } });
    expect(stdout).not.toContain(secret);
    expect((await place.run(preflight('-'), { stdin: stdin.replace(secret, 'words') })).code).toBe(0);
  });

  it('CL-04 narrows with --allow and never widens', async () => {
    const text = '<File path="x.md">hey</File>\n';
    expect((await place.run(preflight('-', '--allow', 'write'), { stdin: text })).code).toBe(0);
    const refused = await place.run(preflight('-', '--allow', 'read'), { stdin: text });
    expect(refused.code).toBe(3);
    expect(JSON.parse(refused.stdout)).toMatchObject({ admitted: false });
  });

  it('CL-04 shows a person each effect with its diff and the digest, in colour where colours are wanted', async () => {
    place.write('app/files/a.md', 'one\ntwo\n');
    place.write('plan.xmd', '<File path="a.md">one\n2\n\u202e</File><File.Delete path="notes.md" />');
    const plain = await place.run(shown('plan.xmd'));
    expect(plain).toMatchObject({ code: 0, stderr: '' });
    expect(plain.stdout).toMatch(
      /^1\. write "a\.md"\n--- a\.md\n\+\+\+ a\.md\n@@ -1,2 \+1,3 @@\n one\n-two\n\+2\n\+\\u202e\n\\ No newline at end of file\n2\. delete "notes\.md"\n--- notes\.md\n\+\+\+ \/dev\/null\n(?:.*\n)*\ndigest sha256:[0-9a-f]{64}\.[0-9a-f]{64}\n$/,
    );
    const { digest } = (await place.json(preflight('plan.xmd'))).value;
    expect(plain.stdout).toContain(`digest ${String(digest)}\n`);

    const coloured = await place.run(shown('plan.xmd'), { env: { FORCE_COLOR: '1' } });
    expect(coloured.stdout).toContain('\u001b[31m-two\u001b[39m\n\u001b[32m+2\u001b[39m\n');
    expect(coloured.stdout).toContain('\u001b[36m@@ -1,2 +1,3 @@\u001b[39m\n');
    // oxlint-disable-next-line no-control-regex -- the colours are what is taken out
    expect(coloured.stdout.replaceAll(/\u001b\[\d+m/g, '')).toBe(plain.stdout);
    expect(readdirSync(place.path('app/files')).toSorted()).toEqual(['a.md', 'notes.md']);
    expect(existsSync(place.path('.telo'))).toBe(false);
  });

  it('CL-04 shows a refusal at its place in the author’s own text, with a caret', async () => {
    place.write('plan.xmd', 'Words.\r\n\r\n\t\u202e <Secretive path="x" />\r\n');
    expect(await place.run(shown('plan.xmd'))).toMatchObject({
      code: 3,
      stderr: '',
      stdout: [
        'plan.xmd:3:4  refused  The fragment names an element that is not admitted  component',
        String.raw`3 │ \t\u202e <Secretive path="x" />`,
        '  │          ^',
        '',
      ].join('\n'),
    });
    const long = `${'x'.repeat(500)}<Secretive />${'y'.repeat(500)}`;
    const { stdout } = await place.run(shown('-'), { stdin: long });
    const [head, line = '', caret = ''] = stdout.split('\n');
    expect(head).toMatch(/^standard input:1:501 /);
    expect(line.length).toBeLessThan(140);
    expect(line.slice(caret.indexOf('^'))).toMatch(/^<Secretive \/>y+…$/);
  });

  it.runIf(process.platform === 'linux')(
    'CL-04 a device without an end and a folder are refused, and no more',
    async () => {
      for (const [source, exit, code] of [
        ['/dev/zero', 65, 'ERR_CLI_INVALID_INPUT'],
        ['app', 66, 'ERR_CLI_NOT_FOUND'],
      ] as const) {
        const { code: ended, value } = await place.json(preflight(source));
        expect(ended).toBe(exit);
        expect(value).toMatchObject({ ok: false, error: { code } });
      }
      expect(await place.run(shown('app'))).toMatchObject({
        stdout: '',
        stderr: expect.stringMatching(/^error {2}Cannot read "app": it is a folder {2}ERR_CLI_NOT_FOUND\n/),
      });
      expect(await place.run(shown('/dev/null'))).toMatchObject({ code: 0, stderr: '' });
    },
  );

  it('CL-04 does not show a line that looks like a secret', async () => {
    const secret = `ghp_${'wWPw5k4aXcaT4fNP0UcnZwJUVFk6LO0pINUx'.slice(0, 36)}`;
    const { code, stdout, stderr } = await place.run(shown('-'), { stdin: `<File path="x.md">${secret}</File>\n` });
    expect({ code, stderr }).toEqual({ code: 3, stderr: '' });
    expect(stdout).toMatch(/^standard input:1:\d+ {2}refused {2}It looks like a secret {2}\S+\n$/);
    expect(stdout).not.toContain(secret);
  });
});

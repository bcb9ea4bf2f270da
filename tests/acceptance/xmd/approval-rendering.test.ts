import { createHash } from 'node:crypto';
import { chmodSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { durableContext, resource } from '../../support/fake-context.ts';
import { MemoryRun } from '../../support/memory-handle.ts';
import { digestOf, preflighted } from './approval-scene.ts';
import { Scene, type SceneOptions } from './scene.ts';

vi.mock('../../../controllers/xmd/providers/host-files.ts', async (original) =>
  (await import('./counting-files.ts')).counting(await original()),
);

const LINES = Array.from({ length: 12 }, (_, index) => `line ${index + 1}\n`);
const OPTIONS: SceneOptions = {
  files: { 'notes.md': LINES.join(''), 'old.md': 'first\nlast', 'secret.md': 'the combination is 4711' },
  allow: ['read', 'write'],
  profile: {
    requests: [{ url: 'https://api.example.org/v1/items', headers: { accept: 'text/plain' } }],
    operations: [
      {
        name: 'Announce',
        form: 'paired',
        content: 'text',
        grant: 'write',
        inDoubt: 'refuse',
        invoke: { kind: 'Local.Tell', name: 'tell' },
        revision: '1',
        props: { type: 'object', properties: { channel: {} } },
      },
    ],
  },
  targets: { tell: resource('Local.Tell', 'tell', () => null) },
};

describe('what a person is shown', () => {
  const text = [
    'Prose is no effect.\n',
    '<File path="notes.md" />',
    `<File path="notes.md">\n${LINES.join('').replace('line 6\n', 'line six\n')}</File>`,
    '<Dir path="out"><File path="new.md">a\nb\n</File></Dir>',
    '<File.Delete path="old.md" />',
    '<Fetch url="https://api.example.org/v1/items" headers={{"accept": "text/plain"}} />',
    '<Announce channel="#dev">Two\nlines</Announce>',
  ].join('');

  it('AP-15 AP-10 each effect in the order performed, with what it changes', async () => {
    const scene = new Scene(OPTIONS);
    const answer = await preflighted(scene.process(), { text });
    expect(answer.rendering).toBe(
      `1. read "notes.md"
2. write "notes.md"
--- notes.md
+++ notes.md
@@ -3,7 +3,7 @@
 line 3
 line 4
 line 5
-line 6
+line six
 line 7
 line 8
 line 9
3. folder "out", made where it is missing
4. write "out/new.md", a new file
--- /dev/null
+++ out/new.md
@@ -0,0 +1,2 @@
+a
+b
5. delete "old.md"
--- old.md
+++ /dev/null
@@ -1,2 +0,0 @@
-first
-last
\\ No newline at end of file
6. request GET https://api.example.org/v1/items
   headers: {"accept":"text/plain"}
7. Announce calls Local.Tell/tell
   channel: "#dev"
   content:
   | Two
   | lines
`,
    );
    expect(answer).toMatchObject({ version: 2, admitted: true });
    expect(answer.effects.map(({ path, target }) => [path, target])).toEqual([
      ['xmd[0]/File', { kind: 'read', path: 'notes.md' }],
      ['xmd[1]/File', { kind: 'write', path: 'notes.md' }],
      ['xmd[2]/Dir', { kind: 'folder', path: 'out' }],
      ['xmd[2]/Dir/xmd[0]/File', { kind: 'write', path: 'out/new.md' }],
      ['xmd[3]/File.Delete', { kind: 'delete', path: 'old.md' }],
      ['xmd[4]/Fetch', { kind: 'request', method: 'GET', url: 'https://api.example.org/v1/items' }],
      ['xmd[5]/Announce', { kind: 'operation', operation: 'Local.Tell/tell' }],
    ]);
    expect(answer.effects[6]).toEqual({
      name: 'Announce',
      form: 'paired',
      grant: 'write',
      path: 'xmd[5]/Announce',
      identity: { kind: 'host', origin: 'tests', key: 'Local.Tell/tell', revision: '1' },
      input: { channel: '#dev' },
      target: { kind: 'operation', operation: 'Local.Tell/tell' },
    });
  });

  it.each([
    ['nothing to do', 'Only prose.', 'It does nothing: no effects.\n'],
    [
      'what is there already',
      '<File path="secret.md">the combination is 4711</File>',
      '1. write "secret.md", which holds just that\n',
    ],
    ['an empty new file', '<File path="e.md"></File>', '1. write "e.md", a new file, empty\n'],
    ['nothing to remove', '<File.Delete path="none.md" />', '1. delete "none.md", which is not there\n'],
  ])('AP-15 %s', async (_name, fragment, rendering) => {
    expect((await preflighted(new Scene(OPTIONS).process(), { text: fragment })).rendering).toBe(rendering);
  });

  it('AP-15 nothing from a fragment or a file can deceive: it is escaped, and has a mark ahead', async () => {
    const scene = new Scene({ ...OPTIONS, files: { 'a.md': '\u001b[2Jgone\u202e\r\n2. delete "all"\n' } });
    const fragment =
      '<File path="a.md">x\u200b\u2066\n1. read "harmless"\n@@ -1 +1 @@\n</File><Announce channel="\u202eabc">\u0007</Announce><File path="\u202etxt" />';
    const { rendering } = await preflighted(scene.process(), { text: fragment });
    expect(rendering).toBe(
      String.raw`1. write "a.md"
--- a.md
+++ a.md
@@ -1,2 +1,3 @@
-\u001b[2Jgone\u202e\r
-2. delete "all"
+x\u200b\u2066
+1. read "harmless"
+@@ -1 +1 @@
2. Announce calls Local.Tell/tell
   channel: "\u202eabc"
   content:
   | \u0007
3. read "\u202etxt"
   Not possible as it is now. Cannot read "\u202etxt": there is no such file or folder.
`,
    );
  });
});

describe('where text of a file may stand', () => {
  const text = '<File path="secret.md">changed</File>';

  it('AP-16 without read it stands in the rendering alone, and no mark of it anywhere else', async () => {
    const scene = new Scene({ ...OPTIONS, allow: ['write'] });
    const { rendering, digest, ...told } = await preflighted(scene.process(), { text });
    expect(rendering).toContain('-the combination is 4711\n');
    const everythingElse = JSON.stringify({ digest, ...told });
    const sha256 = createHash('sha256').update('the combination is 4711').digest('hex');
    expect(everythingElse).not.toContain('4711');
    expect(everythingElse).not.toContain(sha256);
    expect(Object.keys(told.effects[0] ?? {}).toSorted()).toEqual(
      ['form', 'grant', 'identity', 'input', 'name', 'path', 'target'].toSorted(),
    );
  });

  it('AP-16 what is too large, no text, or looks like a secret is named and not shown, and digested all the same', async () => {
    const token = `ghp_${'wWPw5k4aXcaT4fNP0UcnZwJUVFk6LO0pINUx'.slice(0, 36)}`;
    const scene = new Scene({
      ...OPTIONS,
      files: { 'large.md': 'x'.repeat(101), 'token.md': `it is ${token}`, 'plain.md': 'words' },
      profile: { limits: { fileBytes: 100 }, secrets: { files: 'refuse' } },
    });
    writeFileSync(join(scene.folder, 'work/binary'), Buffer.from([0xff, 0x00]));
    const names = ['large.md', 'binary', 'token.md', 'plain.md'];
    const fragment = names.map((name) => `<File.Delete path="${name}" />`).join('');
    const { rendering, digest } = await preflighted(scene.process(), { text: fragment });
    expect(rendering).toMatch(
      /^1\. delete "large\.md"\n {3}What is there now is not shown: 101 bytes, more than is shown\.\n2\. delete "binary"\n {3}What is there now is not shown: 2 bytes, not UTF-8 text\.\n3\. delete "token\.md"\n {3}What is there now is not shown: it looks like a secret \(\S+\)\.\n4\. delete "plain\.md"\n--- plain\.md\n/,
    );
    expect(rendering).not.toContain(token);
    scene.put('large.md', 'y'.repeat(101));
    expect(await digestOf(scene.process(), fragment)).not.toBe(digest);
  });

  it('AP-16 new content is shown whole, and what a secret file would be copied to is not', async () => {
    const token = `ghp_${'wWPw5k4aXcaT4fNP0UcnZwJUVFk6LO0pINUx'.slice(0, 36)}`;
    const scene = new Scene({ ...OPTIONS, files: { 'token.md': token }, profile: { secrets: { files: 'refuse' } } });
    const copy = '<File path="copy.md">it: <File path="token.md" /></File>';
    const { rendering } = await preflighted(scene.process(), { text: copy });
    expect(rendering).toMatch(/What would be written is not shown: it looks like a secret/);
    expect(rendering).not.toContain(token);
    const long = 'a line\n'.repeat(5_000);
    const whole = await preflighted(scene.process(), { text: `<File path="long.md">${long}</File>` });
    expect(whole.rendering.split('\n').filter((line) => line === '+a line')).toHaveLength(5_000);
  });
});

it('AP-17 Preflight changes and records nothing, in a durable run too', async () => {
  const scene = new Scene(OPTIONS);
  const run = new MemoryRun();
  const process = scene.process();
  const text = '<File path="new/a.md">1</File><File.Delete path="old.md" /><Dir path="d"></Dir>';
  const check = process.preflightInstance;
  await check.invoke({ text }, durableContext(run.open(), 'steps/check'));
  expect(run.keys()).toEqual([]);
  expect(scene.calls).toEqual([]);
  expect(readdirSync(join(scene.folder, 'work')).toSorted()).toEqual(['notes.md', 'old.md', 'secret.md']);

  // The twin: evaluated, the same fragment does change them.
  await process.evaluateIn(run.open(), { text });
  expect(readdirSync(join(scene.folder, 'work')).toSorted()).toEqual(['d', 'new', 'notes.md', 'secret.md']);
});

describe('a digest', () => {
  it('AP-12 is the same in every process and for every order of stating a policy, and another for each thing it covers', async () => {
    const scene = new Scene(OPTIONS);
    const text = '<File path="old.md">1</File>';
    const digest = await digestOf(scene.process(), text);
    expect(digest).toMatch(/^sha256:[0-9a-f]{64}\.[0-9a-f]{64}$/);
    expect(await digestOf(scene.process({ allow: ['write', 'read'] }), text)).toBe(digest);

    const [, statement] = digest.split('.');
    chmodSync(join(scene.folder, 'work/old.md'), 0o600);
    const moved = await digestOf(scene.process(), text);
    expect(moved).not.toBe(digest);
    expect(moved.endsWith(`.${statement ?? ''}`)).toBe(true);
    chmodSync(join(scene.folder, 'work/old.md'), 0o644);
    scene.put('unrelated.md', 'x');
    expect(await digestOf(scene.process(), text)).toBe(digest);
    expect(await digestOf(scene.process(), `${text} `)).not.toContain(statement ?? '');
  });
});

it('AP-30 a before record is what was approved, also where the file is another by then', async () => {
  const scene = new Scene(OPTIONS);
  const run = new MemoryRun();
  const text = '<File path="old.md">1</File>';
  chmodSync(join(scene.folder, 'work/old.md'), 0o644);
  const approved = await digestOf(scene.process(), text);
  await expect(scene.process().evaluateIn(run.openKilledAt(2), { text, approved })).rejects.toMatchObject({
    code: 'ERR_DURABLE_JOURNAL_UNAVAILABLE',
  });
  scene.put('old.md', 'edited');
  await expect(scene.process().evaluateIn(run.open(), { text, approved })).rejects.toMatchObject({
    code: 'ERR_XMD_CONFLICT',
  });
  expect(run.value('steps/apply/xmd[0]/File/before')).toEqual({
    sha256: createHash('sha256').update('first\nlast').digest('hex'),
    mode: 0o644,
  });
  expect(scene.get('old.md')).toBe('edited');
});

import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { MemoryRun } from '../../support/memory-handle.ts';
import { rewrite, Scene } from './scene.ts';

vi.mock('../../../controllers/xmd/providers/host-files.ts', async (original) =>
  (await import('./counting-files.ts')).counting(await original()),
);

const ADMISSION = 'steps/apply/generated_xmd';
const BOTH = ['read', 'write'];
const REQUEST = { code: 'ERR_XMD_REFUSED', data: { class: 'request' } };

function scene(paths?: unknown, files: Readonly<Record<string, string>> = {}): Scene {
  return new Scene({ files, allow: BOTH, profile: paths === undefined ? {} : { paths } });
}

const read = (path: string) => `<File path="${path}" />`;
const write = (path: string) => `<File path="${path}">new</File>`;
const remove = (path: string) => `<File.Delete path="${path}" />`;
const folder = (path: string) => `<Dir path="${path}"></Dir>`;

describe('what is outside unless it is stated', () => {
  it.each([
    '.env',
    '.git/config',
    'a/.git/hooks/post-commit',
    '.GIT/config',
    '.ssh/id',
    'a/b/.npmrc',
    '..a',
    '\u200b.env',
    '.\u200dgit/x',
  ])('F-64 %s, for every access', async (path) => {
    const at = scene(undefined, { 'a.md': 'a' });
    for (const text of [
      read(path),
      write(path),
      remove(path),
      folder(path),
      `<Dir path="a">${write(`../${path}`)}</Dir>`,
    ]) {
      const run = new MemoryRun();
      await expect(at.process().evaluateIn(run.open(), { text: `${read('a.md')}${text}` })).rejects.toMatchObject({
        code: 'ERR_XMD_REFUSED',
      });
      expect(run.keys()).toEqual([ADMISSION]);
    }
    await expect(at.process().evaluate({ text: write(path) })).rejects.toMatchObject(REQUEST);
    expect(at.calls).toEqual([]);
    await expect(at.process().evaluate({ text: read('a.md') })).resolves.toMatchObject({ output: 'a' });
  });

  it('F-64 a pattern that spells the dot lets it in, for its own access only, and .git only where it is whole', async () => {
    const at = scene({ write: { allow: ['**', '.*', '.github/**'] } }, { '.env': 'e' });
    await at
      .process()
      .evaluate({ text: `${write('.gitignore')}${write('.github/w.yml')}${folder('.github/x')}${write('b')}` });
    expect([at.get('.gitignore'), at.get('.github/w.yml')]).toEqual(['new', 'new']);
    for (const text of [read('.env'), remove('.env'), write('.git/config'), write('.git'), write('.github/.x')]) {
      await expect(at.process().evaluate({ text })).rejects.toMatchObject(REQUEST);
    }
    const whole = scene({ write: { allow: ['.git/**'] } });
    await whole.process().evaluate({ text: write('.git/description') });
    expect(whole.get('.git/description')).toBe('new');
  });
});

describe('stated limits', () => {
  const PATHS = {
    read: { allow: ['docs/**', '*.md'], deny: ['docs/secret'] },
    write: { allow: ['out/**', 'docs/*.md'], deny: ['**/*.key'] },
    delete: { allow: [] },
  };
  const FILES = { 'a.md': 'A', 'docs/b.txt': 'B', 'docs/secret/c.md': 'C', 'src/d.md': 'D', 'out/e': 'E' };

  it.each([
    ['reads', read('a.md')],
    ['reads below a folder', read('docs/b.txt')],
    ['writes', write('out/x/y.txt')],
    ['writes one level deep', write('docs/new.md')],
    ['writes in the folders of a pattern', `<Dir path="docs">${write('n.md')}</Dir>`],
    ['creates a folder', folder('out')],
    ['stays at the root', `<Dir path=".">${write('out/z')}</Dir>`],
  ])('F-62 are met: %s', async (_name, text) => {
    await expect(scene(PATHS, FILES).process().evaluate({ text })).resolves.toBeDefined();
  });

  it.each([
    ['reads beside them', read('src/d.md')],
    ['reads what is denied', read('docs/secret/c.md')],
    ['reads what is denied in other letters', read('docs/SECRET/c.md')],
    ['reads where only writing is allowed', read('out/e')],
    ['writes beside them', write('src/d.md')],
    ['writes at the root', write('a.md')],
    ['writes too deep', write('docs/x/y.md')],
    ['writes what is denied', write('out/id.key')],
    ['writes below what is denied', write('out/id.KEY/x')],
    ['deletes where only writing is allowed', remove('out/e')],
    ['creates a folder beside them', folder('src')],
    ['creates a folder that is denied', folder('out/x.key')],
    ['goes round by a folder', `<Dir path="out/../src"></Dir>`.replace('out/../', './')],
    ['goes below an enclosing folder', `<Dir path="docs"><Dir path="x"></Dir></Dir>`],
  ])('F-62 are passed: %s', async (_name, text) => {
    const at = scene(PATHS, FILES);
    await expect(at.process().evaluate({ text: `${write('out/first')}${text}` })).rejects.toMatchObject(REQUEST);
    expect(at.calls).toEqual([]);
    expect(Object.keys(FILES).map((path) => at.get(path))).toEqual(Object.values(FILES));
  });

  it('F-62 an allow that is left out is everything, an empty one nothing', async () => {
    const at = scene({ read: { deny: ['b'] }, write: { allow: [] } }, { a: 'a', b: 'b' });
    await expect(at.process().evaluate({ text: read('a') })).resolves.toMatchObject({ output: 'a' });
    for (const text of [read('b'), write('a'), folder('x')]) {
      await expect(at.process().evaluate({ text })).rejects.toMatchObject(REQUEST);
    }
    await at.process().evaluate({ text: remove('a') });
    expect(at.get('a')).toBeUndefined();
  });

  it.each<[unknown]>([
    [[]],
    [{ create: {} }],
    [{ read: ['a'] }],
    [{ read: { only: [] } }],
    [{ read: { allow: 'a' } }],
    [{ read: { allow: [1] } }],
    [{ read: { allow: ['/a'] } }],
    [{ write: { deny: ['a/'] } }],
    [{ delete: { deny: ['../a'] } }],
    [{ delete: { deny: ['[ab]'] } }],
  ])('F-62 %j are no limits', (paths) => {
    expect(() => scene(paths).process()).toThrow(
      expect.objectContaining({ code: 'ERR_XMD_PROFILE', data: expect.objectContaining({ reason: 'paths' }) }),
    );
  });
});

/** `open/` is inside the limits, `shut/` is not, and links lead from one to the other. */
function linked(): Scene {
  const limits = { allow: ['open', 'open/**'] };
  const at = scene({ read: limits, write: limits, delete: limits }, { 'shut/a': 'secret', 'open/b': 'B' });
  const root = join(at.folder, 'work');
  symlinkSync('../shut', join(root, 'open/folder'));
  symlinkSync('../shut/a', join(root, 'open/file'));
  symlinkSync('b', join(root, 'open/near'));
  symlinkSync('../.hidden', join(root, 'open/hidden'));
  mkdirSync(join(root, '.hidden'));
  writeFileSync(join(root, '.hidden/x'), 'hidden');
  return at;
}

describe('a link inside the root', () => {
  it.each([
    ['reads a file', read('open/file')],
    ['reads below a folder', read('open/folder/a')],
    ['reads a hidden file', read('open/hidden/x')],
    ['writes over a file', write('open/folder/a')],
    ['writes a new file', write('open/folder/new')],
    ['writes in a new folder', write('open/folder/x/new')],
    ['writes a hidden file', write('open/hidden/y')],
    ['deletes a file', remove('open/folder/a')],
    ['creates a folder', folder('open/folder/x')],
    ['stands for a folder', folder('open/folder')],
  ])('F-66 leads nowhere that is outside: %s', async (_name, text) => {
    const at = linked();
    const run = new MemoryRun();
    await expect(at.process().evaluateIn(run.open(), { text })).rejects.toMatchObject({
      code: 'ERR_XMD_EFFECT',
      data: { reason: 'outside-limits', effect: expect.stringMatching(/^steps\/apply\/xmd\[0\]/) },
    });
    expect(run.keys().filter((key) => !key.endsWith('/before'))).toEqual([ADMISSION, `${ADMISSION}/outcome`]);
    expect(at.get('shut/a')).toBe('secret');
    expect(['shut/new', 'shut/x', '.hidden/y'].map((path) => at.get(path))).toEqual([undefined, undefined, undefined]);
  });

  it('F-66 leads where it may, and a place is judged by where it is', async () => {
    const at = linked();
    await expect(at.process().evaluate({ text: read('open/near') })).resolves.toMatchObject({ output: 'B' });
    const beside = at.process({ profile: { paths: { read: { deny: ['open'] } } } });
    symlinkSync('shut', join(at.folder, 'work/alias'));
    await expect(beside.evaluate({ text: read('alias/a') })).resolves.toMatchObject({ output: 'secret' });
    symlinkSync('open/b', join(at.folder, 'work/way-in'));
    await expect(beside.evaluate({ text: read('way-in') })).rejects.toMatchObject({
      data: { reason: 'outside-limits' },
    });
  });
});

describe('a run under path limits', () => {
  const PATHS = { read: { allow: ['*.md'] }, write: { deny: ['b'] }, delete: { deny: ['c'] } };
  const MOVED: Readonly<Record<string, unknown>> = {
    'no limits': undefined,
    'a read pattern more': { ...PATHS, read: { allow: ['*.md', '*.txt'] } },
    'a denial fewer': { ...PATHS, write: {} },
    'a denial of deletes': { ...PATHS, delete: { deny: ['d'] } },
  };
  const text = `${read('a.md')}${write('x')}`;

  async function admitted(allow: readonly string[] = BOTH) {
    const at = new Scene({ files: { 'a.md': 'a' }, allow, profile: { paths: PATHS } });
    const run = new MemoryRun();
    const given = allow.length === 2 ? text : read('a.md');
    await at
      .process()
      .evaluateIn(run.openKilledAt(1), { text: given })
      .catch(() => undefined);
    return { at, run, given };
  }

  it.each(Object.entries(MOVED))(
    'R5 with %s refuses before any effect, and the old ones resume',
    async (_name, paths) => {
      const { at, run } = await admitted();
      const calls = at.calls.length;
      const profile = paths === undefined ? {} : { paths };
      await expect(at.process({ profile }).evaluateIn(run.open(), { text })).rejects.toMatchObject({
        code: 'ERR_XMD_POLICY_CHANGED',
        data: { changed: 'paths', resumable: true },
      });
      expect(at.calls).toHaveLength(calls);
      expect(at.get('x')).toBeUndefined();
      await at.process().evaluateIn(run.open(), { text });
      expect(at.get('x')).toBe('new');
    },
  );

  it('R5 limits of an access that allow did not select may move, and so may the order of patterns', async () => {
    const { at, run, given } = await admitted(['read']);
    expect(run.value(ADMISSION)).toMatchObject({ policy: { paths: { read: { allow: ['*.md'] } } } });
    const profile = { paths: { read: { allow: ['*.md', '*.md'] }, write: { allow: [] } } };
    await expect(at.process({ profile }).evaluateIn(run.open(), { text: given })).resolves.toMatchObject({
      output: 'a',
    });
  });

  it.each<[string, unknown, string]>([
    ['a pattern more', { ...PATHS, read: { allow: ['*.md', 'x'] } }, 'POLICY_CHANGED'],
    ['an access fewer', { read: PATHS.read, write: PATHS.write }, 'POLICY_CHANGED'],
    ['patterns out of order', { ...PATHS, read: { allow: ['b', 'a'] } }, 'RECORD_UNREADABLE'],
    ['an access without a list', { ...PATHS, write: {} }, 'RECORD_UNREADABLE'],
    ['an unknown access', { ...PATHS, create: {} }, 'RECORD_UNREADABLE'],
    ['a pattern that is none', { ...PATHS, read: { allow: ['../*'] } }, 'RECORD_UNREADABLE'],
    ['a list', [], 'RECORD_UNREADABLE'],
  ])('R8 a record with %s performs nothing, and the unmoved one resumes', async (_name, paths, code) => {
    const { at, run } = await admitted();
    const calls = at.calls.length;
    const unmoved = run.entries.get(ADMISSION);
    rewrite(run, ADMISSION, (record) => ({ ...record, policy: { ...Object(record['policy']), paths } }));
    await expect(at.process().evaluateIn(run.open(), { text })).rejects.toMatchObject({ code: `ERR_XMD_${code}` });
    expect(at.calls).toHaveLength(calls);
    if (unmoved !== undefined) run.entries.set(ADMISSION, unmoved);
    await at.process().evaluateIn(run.open(), { text });
    expect(at.get('x')).toBe('new');
  });
});

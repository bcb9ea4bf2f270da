import { execFileSync } from 'node:child_process';
import {
  linkSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { verifiedPaths } from '../../../../controllers/xmd/providers/fallback.ts';
import { directoryHandles } from '../../../../controllers/xmd/providers/directory-handles.ts';
import { NODE_SYSTEM_CALLS, type SystemCalls } from '../../../../controllers/xmd/providers/system-calls.ts';
import { hostFolder, LIMIT, reasonOf } from './host-folder.ts';

const LINUX = process.platform === 'linux';

const ways = [
  { way: 'by path', holding: verifiedPaths(NODE_SYSTEM_CALLS), guarantee: 'verified' },
  ...(LINUX ? [{ way: 'by handle', holding: directoryHandles(NODE_SYSTEM_CALLS), guarantee: 'handles' }] : []),
];

describe.each(ways)('held $way', ({ holding, guarantee }) => {
  const folder = (contents: Record<string, string> = {}) => hostFolder(contents, { holding });

  it('FS-45 says which guarantee it gives', () => {
    expect(folder().files.guarantee).toBe(guarantee);
  });

  it.each([
    ['a file', 'link', '../secret'],
    ['a folder in the middle', 'link/f', '../outside'],
    ['a chain', 'first', 'second'],
    ['a sibling whose name begins alike', 'link/f', '../root-evil'],
    ['what does not exist', 'link', '../nothing/at/all'],
  ])('FS-12 refuses a relative link to %s outside, and changes nothing there', (_case, path, target) => {
    const { files, root, base } = folder({ 'd/x': 'x', '../secret': 's', '../outside/f': 's', '../root-evil/f': 's' });
    symlinkSync('../secret', join(root, 'second'));
    symlinkSync(target, join(root, path.split('/')[0] ?? ''));

    expect(reasonOf(() => files.read(path, LIMIT))).toBe('resolved-escape');
    const expected = path.includes('/') ? 'resolved-escape' : 'symbolic-link';
    expect(reasonOf(() => files.write(path, 'evil'))).toBe(expected);
    expect(reasonOf(() => files.remove(path))).toBe(expected);
    expect(reasonOf(() => files.observe(path))).toBe(expected);
    expect(reasonOf(() => files.ensureDirectory(`${path}/new`))).toBe('resolved-escape');
    expect(readFileSync(join(base, 'secret'), 'utf8')).toBe('s');
    expect(readdirSync(base).toSorted()).toEqual(['outside', 'root', 'root-evil', 'secret']);
    expect(readdirSync(join(base, 'root-evil'))).toEqual(['f']);
  });

  it.each(['secret', 'outside', 'root-evil'])('FS-12 refuses an absolute link to %s outside', (name) => {
    const { files, root, base } = folder({ '../secret': 's', '../outside/f': 's', '../root-evil/f': 's' });
    symlinkSync(join(base, name), join(root, 'link'));
    const path = name === 'secret' ? 'link' : 'link/f';

    expect(reasonOf(() => files.read(path, LIMIT))).toBe('resolved-escape');
    expect(reasonOf(() => files.write('link/new', 'evil'))).toBe('resolved-escape');
  });

  it('FS-11 follows links that stay inside: relative, absolute, through .., to folders', () => {
    const { files, root } = folder({ 'a/b/f': 'text', top: 'top' });
    symlinkSync('a/b/f', join(root, 'relative'));
    symlinkSync(join(root, 'a'), join(root, 'absolute'));
    symlinkSync('../../top', join(root, 'a/b/up'));
    symlinkSync('b', join(root, 'a/c'));
    symlinkSync('c/../../top', join(root, 'a/crossing'));

    expect(files.read('relative', LIMIT)).toBe('text');
    expect(files.read('absolute/c/f', LIMIT)).toBe('text');
    expect(files.read('a/c/up', LIMIT)).toBe('top');
    expect(files.read('a/crossing', LIMIT)).toBe('top');
    files.write('absolute/c/new', 'written');
    expect(readFileSync(join(root, 'a/b/new'), 'utf8')).toBe('written');
    files.remove('absolute/c/new');
    expect(readdirSync(join(root, 'a/b')).toSorted()).toEqual(['f', 'up']);
  });

  it('FS-13 tells a dangling link from a loop', () => {
    const { files, root } = folder();
    symlinkSync('nothing', join(root, 'dangling'));
    symlinkSync('two', join(root, 'one'));
    symlinkSync('one', join(root, 'two'));

    expect(reasonOf(() => files.read('dangling', LIMIT))).toBe('missing');
    expect(reasonOf(() => files.read('one', LIMIT))).toBe('too-many-symlinks');
    expect(reasonOf(() => files.write('one/f', ''))).toBe('too-many-symlinks');
  });

  it('FS-14 never writes through or removes a link, and does so to the file beside it', () => {
    const { files, root } = folder({ target: 'kept' });
    symlinkSync('target', join(root, 'link'));

    for (const work of [() => files.write('link', 'x'), () => files.remove('link'), () => files.observe('link')]) {
      expect(reasonOf(work)).toBe('symbolic-link');
    }
    expect(lstatSync(join(root, 'link')).isSymbolicLink()).toBe(true);
    expect(readFileSync(join(root, 'target'), 'utf8')).toBe('kept');
    files.write('target', 'changed');
    expect(files.read('link', LIMIT)).toBe('changed');
  });

  it('FS-15 refuses a FIFO without waiting, a socket and a folder', async () => {
    const { files, root } = folder({ 'd/f': '' });
    execFileSync('mkfifo', [join(root, 'fifo')]);
    const server = createServer();
    await new Promise<void>((listening) => server.listen(join(root, 'socket'), listening));

    for (const [name, reason] of [
      ['fifo', 'special-file'],
      ['socket', 'special-file'],
      ['d', 'directory'],
    ] as const) {
      expect(reasonOf(() => files.read(name, LIMIT))).toBe(reason);
      expect(reasonOf(() => files.observe(name))).toBe(reason);
      expect(reasonOf(() => files.write(name, 'x'))).toBe(reason);
      expect(reasonOf(() => files.remove(name))).toBe(reason);
    }
    await new Promise((closed) => server.close(closed));
  });

  it('FS-18 reads a file with two names, and a write leaves the other name its bytes', () => {
    const { files, root, base } = folder({ '../store/f': 'shared' });
    linkSync(join(base, 'store/f'), join(root, 'f'));

    expect(files.read('f', LIMIT)).toBe('shared');
    files.write('f', 'mine');
    expect(readFileSync(join(base, 'store/f'), 'utf8')).toBe('shared');
    expect(readFileSync(join(root, 'f'), 'utf8')).toBe('mine');
  });
});

it.runIf(LINUX)('FS-15 refuses a device', () => {
  const { files } = hostFolder({}, { root: '/dev' });

  expect(reasonOf(() => files.read('null', LIMIT))).toBe('special-file');
  expect(reasonOf(() => files.write('null', 'x'))).toBe('special-file');
});

it.runIf(LINUX)('FS-16 bounds a file that states no size', () => {
  const { files } = hostFolder({}, { root: '/proc' });

  expect(files.read('version', LIMIT)).toMatch(/^Linux/);
  expect(reasonOf(() => files.read('version', { maxBytes: 10 }))).toBe('too-large');
});

it.each([
  ['', 'empty-path'],
  ['/etc/passwd', 'absolute-path'],
  ['C:/x', 'absolute-path'],
  ['../x', 'lexical-escape'],
  ['a/../../x', 'lexical-escape'],
  ['a/..', 'lexical-escape'],
  ['a\\b', 'operation-failed'],
  ['a\0b', 'operation-failed'],
  ['a\nb', 'operation-failed'],
  ['a/'.repeat(257), 'path-too-long'],
  ['x'.repeat(300), 'path-too-long'],
  ['.', 'directory'],
])('FS-02 refuses the path %j as %s', (path, reason) => {
  const { files, root } = hostFolder({ f: 'f' });

  expect(reasonOf(() => files.read(path, LIMIT))).toBe(reason);
  expect(reasonOf(() => files.write(path, 'x'))).toBe(reason);
  expect(readdirSync(root)).toEqual(['f']);
});

it('FS-02 reads names that only look like an escape', () => {
  const { files } = hostFolder({ '..a.md': '1', 'b../c': '2' });

  expect(files.read('..a.md', LIMIT)).toBe('1');
  expect(files.read('./b..//c', LIMIT)).toBe('2');
});

it('FS-16 keeps a BOM, CRLF and NUL, and refuses invalid UTF-8 and one byte too many', () => {
  const text = '\uFEFFa\r\nb\0c\t \u{1F600}\n';
  const { files, root } = hostFolder({ text, empty: '', limit: '12345678', past: '123456789' });
  writeFileSync(join(root, 'invalid'), Buffer.from([0x61, 0xff]));
  writeFileSync(join(root, 'surrogate'), Buffer.from([0xed, 0xa0, 0x80]));

  expect(files.read('text', LIMIT)).toBe(text);
  expect(files.read('empty', LIMIT)).toBe('');
  expect(files.read('limit', { maxBytes: 8 })).toBe('12345678');
  expect(reasonOf(() => files.read('past', { maxBytes: 8 }))).toBe('too-large');
  expect(reasonOf(() => files.read('invalid', LIMIT))).toBe('invalid-utf8');
  expect(reasonOf(() => files.read('surrogate', LIMIT))).toBe('invalid-utf8');
  expect(reasonOf(() => files.write('new', '\uD800'))).toBe('invalid-utf8');
});

it('FS-01 FS-03 names the authored path and a phrase, nothing of the host', () => {
  const { files, base } = hostFolder({ f: '' });

  const thrown = [() => files.read('no/such', LIMIT), () => files.write('f/below', ''), () => files.remove('f/x')].map(
    (work) => {
      try {
        return work();
      } catch (error) {
        return error;
      }
    },
  );

  expect(thrown).toMatchObject([
    { code: 'ERR_XMD_EFFECT', data: { reason: 'missing', path: 'no/such' } },
    { code: 'ERR_XMD_EFFECT', data: { reason: 'not-directory', path: 'f/below' } },
    { code: 'ERR_XMD_EFFECT', data: { reason: 'not-directory', path: 'f/x' } },
  ]);
  for (const error of thrown) {
    const said = error instanceof Error ? `${error.message} ${JSON.stringify(error)}` : '';
    expect(said).not.toContain(base);
    expect(said).not.toMatch(/ENO|EIS|syscall/);
    expect(error).not.toHaveProperty('cause');
  }
});

it('FS-10 finds a root that appears later, and keeps to the folder it found', () => {
  const { files, root, base } = hostFolder({ '../other/f': 'other' }, {});
  const later = hostFolder({}, { root: join(base, 'later') }).files;

  expect(reasonOf(() => later.read('f', LIMIT))).toBe('missing');
  expect(later.observe('f')).toEqual({ absent: true });
  expect(reasonOf(() => later.remove('f'))).toBe('done');
  expect(reasonOf(() => later.remove('../f'))).toBe('lexical-escape');
  expect(reasonOf(() => later.write('f', 'x'))).toBe('missing');
  mkdirSync(join(base, 'later'));
  later.write('f', 'x');
  expect(readFileSync(join(base, 'later/f'), 'utf8')).toBe('x');
  expect(readdirSync(root)).toEqual([]);
  expect(reasonOf(() => files.read('f', LIMIT))).toBe('missing');
});

it.each(['ab:stream', 'con', 'nul.txt', 'dot.', 'space ', 'q?'])(
  'FS-45 refuses %j where the system reads it otherwise',
  (name) => {
    const windows = hostFolder(
      { [name]: 'f', [`d/${name}/f`]: 'f' },
      { holding: verifiedPaths(NODE_SYSTEM_CALLS, 'win32') },
    );
    const here = hostFolder({ [name]: 'f' }, { holding: verifiedPaths(NODE_SYSTEM_CALLS, 'linux') });

    expect(reasonOf(() => windows.files.read(name, LIMIT))).toBe('operation-failed');
    expect(reasonOf(() => windows.files.read(`d/${name}/f`, LIMIT))).toBe('operation-failed');
    expect(here.files.read(name, LIMIT)).toBe('f');
  },
);

it('FS-45 notices a folder that is swapped while a file in it is opened', () => {
  const swaps: (() => void)[] = [];
  const system: SystemCalls = {
    ...NODE_SYSTEM_CALLS,
    openSync: (path, flags, mode) => {
      swaps.pop()?.();
      return NODE_SYSTEM_CALLS.openSync(path, flags, mode);
    },
  };
  const holding = verifiedPaths(system);
  const { files, root, base } = hostFolder({ 'd/f': 'inside', '../outside/f': 'secret' }, { system, holding });
  expect(files.read('d/f', LIMIT)).toBe('inside');

  swaps.push(() => {
    renameSync(join(root, 'd'), join(root, 'aside'));
    symlinkSync(join(base, 'outside'), join(root, 'd'));
  });

  expect(reasonOf(() => files.read('d/f', LIMIT))).toBe('resolved-escape');
  expect(swaps).toEqual([]);
});

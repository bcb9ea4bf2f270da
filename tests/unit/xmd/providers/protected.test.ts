import { linkSync, mkdirSync, readFileSync, readdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Files } from '../../../../controllers/xmd/providers/files.ts';
import { NODE_SYSTEM_CALLS, type SystemCalls } from '../../../../controllers/xmd/providers/system-calls.ts';
import { temporaryName } from '../../../../controllers/xmd/providers/temporary-name.ts';
import { hostFolder, LIMIT, reasonOf } from './host-folder.ts';

const everyUse = (files: Files, path: string) =>
  [
    () => files.read(path, LIMIT),
    () => files.observe(path),
    () => files.write(path, 'x'),
    () => files.remove(path),
  ].map(reasonOf);

const PROTECTED = ['protected', 'protected', 'protected', 'protected'];

it('FS-20 refuses a protected file by its name, by a second hard link and by a link of another name', () => {
  const list: string[] = [];
  const { files, root } = hostFolder({ 'telo.yaml': 'kind', 'd/f': 'free' }, { protectedPaths: () => list });
  list.push(join(root, 'telo.yaml'));
  linkSync(join(root, 'telo.yaml'), join(root, 'd/innocent'));
  symlinkSync('../telo.yaml', join(root, 'd/link'));

  expect(everyUse(files, 'telo.yaml')).toEqual(PROTECTED);
  expect(everyUse(files, 'd/innocent')).toEqual(PROTECTED);
  expect(reasonOf(() => files.read('d/link', LIMIT))).toBe('protected');
  expect(readFileSync(join(root, 'telo.yaml'), 'utf8')).toBe('kind');
  expect(everyUse(files, 'd/f')).toEqual(['done', 'done', 'done', 'done']);
});

it('FS-20 refuses a protected path that is not there yet, and creates no folder towards it', () => {
  const list: string[] = [];
  const { files, root } = hostFolder({}, { protectedPaths: () => list });
  list.push(join(root, 'data/runs.db-wal'), join(root, 'new-folder'));

  expect(reasonOf(() => files.write('data/runs.db-wal', 'x'))).toBe('protected');
  expect(reasonOf(() => files.ensureDirectory('new-folder/below'))).toBe('protected');
  expect(readdirSync(root)).toEqual([]);
  expect(reasonOf(() => files.write('data/runs.db-walnut', 'x'))).toBe('done');
});

it('FS-20 protects what a protected link leads to, and the link', () => {
  const list: string[] = [];
  const { files, root } = hostFolder({ 'real.yaml': 'kind' }, { protectedPaths: () => list });
  symlinkSync('real.yaml', join(root, 'telo.yaml'));
  list.push(join(root, 'telo.yaml'));

  expect(everyUse(files, 'real.yaml')).toEqual(PROTECTED);
  expect(reasonOf(() => files.remove('telo.yaml'))).toBe('protected');
});

it('FS-21 refuses everything in a protected folder, also through a link and a link to its parent', () => {
  const list: string[] = [];
  const { files, root } = hostFolder({ 'lib/c/x.mjs': 'code', 'lib/free': 'f' }, { protectedPaths: () => list });
  list.push(join(root, 'lib/c'));
  symlinkSync('lib/c', join(root, 'alias'));
  symlinkSync('lib', join(root, 'parent'));

  expect(everyUse(files, 'lib/c/x.mjs')).toEqual(PROTECTED);
  expect(everyUse(files, 'alias/x.mjs')).toEqual(PROTECTED);
  expect(everyUse(files, 'parent/c/x.mjs')).toEqual(PROTECTED);
  expect(reasonOf(() => files.write('lib/c/new/f', 'x'))).toBe('protected');
  expect(reasonOf(() => files.ensureDirectory('lib/c'))).toBe('protected');
  expect(readdirSync(join(root, 'lib/c'))).toEqual(['x.mjs']);
  expect(reasonOf(() => files.read('parent/free', LIMIT))).toBe('done');
});

it.each(['.telo/runs.db', 'a/.telo/runs.db', 'a/.TELO/x', '.Telo', 'a/.telo', 'link/runs.db', 'into'])(
  'FS-22 refuses %s',
  (path) => {
    const { files, root } = hostFolder({ '.telo/runs.db': 'j', 'a/.telo/runs.db': 'j', 'a/telo/f': 'f' });
    symlinkSync('a/.telo', join(root, 'link'));
    symlinkSync('.telo/runs.db', join(root, 'into'));

    expect(reasonOf(() => files.read(path, LIMIT))).toBe('protected');
    expect(reasonOf(() => files.write(path, 'x'))).toBe(path === 'into' ? 'symbolic-link' : 'protected');
    expect(reasonOf(() => files.ensureDirectory(path))).toBe('protected');
    expect(readFileSync(join(root, '.telo/runs.db'), 'utf8')).toBe('j');
    expect(reasonOf(() => files.read('a/telo/f', LIMIT))).toBe('done');
  },
);

it('FS-22 refuses another spelling that the file system takes for .telo', () => {
  // A file system that ignores the joiner in a name, as some do: it answers for `.telo` under both spellings.
  const system: SystemCalls = {
    ...NODE_SYSTEM_CALLS,
    openSync: (path, flags, mode) => NODE_SYSTEM_CALLS.openSync(String(path).replaceAll('\u200D', ''), flags, mode),
  };
  const { files } = hostFolder({ '.telo/f': 'j', 'caf\u00E9/f': 'f' }, { system });

  expect(reasonOf(() => files.read('.te\u200Dlo/f', LIMIT))).toBe('protected');
  expect(reasonOf(() => files.read('caf\u00E9/f', LIMIT))).toBe('done');
});

it('FS-23 refuses a temporary file of ours, whoever is writing it', () => {
  const name = temporaryName();
  const { files } = hostFolder({ [name]: 'half', '.xmd-notes.tmp': 'free' });

  expect(everyUse(files, name)).toEqual(PROTECTED);
  expect(everyUse(files, name.toUpperCase())).toEqual(PROTECTED);
  expect(reasonOf(() => files.read('.xmd-notes.tmp', LIMIT))).toBe('done');
});

it('FS-24 protects a path that joins the list later, and a protected file that is replaced', () => {
  const list: string[] = [];
  const { files, root } = hostFolder({ 'telo.yaml': '1', 'next.yaml': '2', free: 'f' }, { protectedPaths: () => list });
  expect(reasonOf(() => files.read('telo.yaml', LIMIT))).toBe('done');

  list.push(join(root, 'telo.yaml'));
  expect(reasonOf(() => files.read('telo.yaml', LIMIT))).toBe('protected');
  renameSync(join(root, 'next.yaml'), join(root, 'telo.yaml'));
  linkSync(join(root, 'telo.yaml'), join(root, 'second-name'));

  expect(reasonOf(() => files.read('telo.yaml', LIMIT))).toBe('protected');
  expect(reasonOf(() => files.read('second-name', LIMIT))).toBe('protected');
  expect(reasonOf(() => files.read('free', LIMIT))).toBe('done');
});

it('FS-25 refuses everything below a root that lies in a protected or .telo folder', () => {
  const { base } = hostFolder();
  mkdirSync(join(base, 'kept/work'), { recursive: true });
  mkdirSync(join(base, '.telo/work'), { recursive: true });
  writeFileSync(join(base, 'kept/work/f'), 'f');
  writeFileSync(join(base, '.telo/work/f'), 'f');
  const kept = { root: join(base, 'kept/work') };

  expect(everyUse(hostFolder({}, { ...kept, protectedPaths: () => [join(base, 'kept')] }).files, 'f')).toEqual(
    PROTECTED,
  );
  expect(everyUse(hostFolder({}, { root: join(base, '.telo/work') }).files, 'f')).toEqual(PROTECTED);
  expect(everyUse(hostFolder({}, { ...kept, protectedPaths: () => [join(base, 'ke')] }).files, 'f')).toEqual([
    'done',
    'done',
    'done',
    'done',
  ]);
});

it.runIf(process.platform === 'linux')('FS-21 knows a protected folder that is mounted at another place', () => {
  const list: string[] = [];
  // What a bind mount does to a name: it opens the other folder.
  const system: SystemCalls = {
    ...NODE_SYSTEM_CALLS,
    openSync: (path, flags, mode) => NODE_SYSTEM_CALLS.openSync(String(path).replace(/mounted$/, 'kept'), flags, mode),
  };
  const { files, root } = hostFolder(
    { 'kept/f': 'f', 'mounted/f': 'f', 'free/f': 'f' },
    { system, protectedPaths: () => list },
  );
  list.push(join(root, 'kept'));

  expect(reasonOf(() => files.read('mounted/f', LIMIT))).toBe('protected');
  expect(reasonOf(() => files.read('free/f', LIMIT))).toBe('done');
});

import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openHostFiles } from '../../../../controllers/xmd/providers/host-files.ts';
import { NODE_SYSTEM_CALLS, type SystemCalls } from '../../../../controllers/xmd/providers/system-calls.ts';
import { temporaryName } from '../../../../controllers/xmd/providers/temporary-name.ts';
import { hostFolder, LIMIT, reasonOf } from './host-folder.ts';

const LINUX = process.platform === 'linux';

const modeOf = (path: string): number => statSync(path).mode & 0o7777;

/** System calls of which some fail with `errno`; every call is listed. */
function failing(calls: Partial<Record<keyof SystemCalls, string>>): { system: SystemCalls; made: string[] } {
  const made: string[] = [];
  const system = new Proxy(NODE_SYSTEM_CALLS, {
    get: (target, name: keyof SystemCalls) => {
      const call = (...args: never[]): unknown => {
        made.push(name);
        const code = calls[name];
        if (code !== undefined) {
          throw Object.assign(new Error(`${code}: at /some/host/path`), { code, syscall: name });
        }
        return Reflect.apply(target[name], target, args);
      };
      return Object.assign(call, { native: Reflect.get(target[name], 'native') });
    },
  });
  return { system, made };
}

/** Runs `work` as nobody when the tests run as root, whom no permission stops. */
function unprivileged<T>(work: () => T): T {
  if (process.geteuid?.() !== 0) {
    return work();
  }
  process.seteuid?.(65_534);
  try {
    return work();
  } finally {
    process.seteuid?.(0);
  }
}

it('FS-17 observes absence, bytes and mode', () => {
  const { files, root } = hostFolder({ f: 'text' });
  chmodSync(join(root, 'f'), 0o640);
  const sha256 = createHash('sha256').update('text').digest('hex');

  expect(files.observe('f')).toEqual({ sha256, mode: 0o640 });
  expect(files.observe('nothing')).toEqual({ absent: true });
  expect(files.observe('no/such/folder')).toEqual({ absent: true });
});

it.each([0o600, 0o644, 0o755, 0o666, 0o400])('FS-30 keeps the mode %o of a file it replaces', (mode) => {
  const { files, root } = hostFolder({ f: 'old' });
  chmodSync(join(root, 'f'), mode);

  files.write('f', 'new');

  expect(readFileSync(join(root, 'f'), 'utf8')).toBe('new');
  expect(modeOf(join(root, 'f'))).toBe(mode);
});

it('FS-30 takes set-user-id away, and gives a new file 0666 less the umask', () => {
  const { files, root } = hostFolder({ f: 'old' });
  chmodSync(join(root, 'f'), 0o4755);
  const before = process.umask(0o027);
  onTestFinished(() => void process.umask(before));

  files.write('f', 'new');
  files.write('d/new', 'new');

  expect(modeOf(join(root, 'f'))).toBe(0o755);
  expect(modeOf(join(root, 'd/new'))).toBe(0o640);
});

it.runIf(process.geteuid?.() === 0)('FS-30 keeps the owner where it may', () => {
  const { files, root } = hostFolder({ f: 'old' });
  chownSync(join(root, 'f'), 65_534, 65_534);

  files.write('f', 'new');

  expect(statSync(join(root, 'f'))).toMatchObject({ uid: 65_534, gid: 65_534 });
});

it('FS-30 flushes the file before the rename and the directory after it', () => {
  const { system, made } = failing({});
  const { files } = hostFolder({ f: 'old' }, { system });

  files.write('f', 'new');

  const order = made.filter((name) => ['writeSync', 'fsyncSync', 'renameSync'].includes(name));
  expect(order).toEqual(['writeSync', 'fsyncSync', 'renameSync', 'fsyncSync']);
});

it.runIf(LINUX)('FS-10 reads a file in the root with four system calls, and one more pair for each folder', () => {
  const { system, made } = failing({});
  const { files } = hostFolder({ 'a/b/f': 'x', f: 'x' }, { system });
  files.read('f', LIMIT);

  made.length = 0;
  files.read('f', LIMIT);
  expect(made).toEqual(['openSync', 'fstatSync', 'readSync', 'closeSync']);
  made.length = 0;
  files.read('a/b/f', LIMIT);
  expect(made.toSorted()).toEqual([
    ...Array<string>(3).fill('closeSync'),
    'fstatSync',
    ...Array<string>(3).fill('openSync'),
    'readSync',
  ]);
});

it('FS-31 creates parents, and removes those of a refused write', () => {
  const { files, root } = hostFolder({ f: 'f' });

  files.write('a/b/c', 'text');
  expect(readFileSync(join(root, 'a/b/c'), 'utf8')).toBe('text');
  expect(reasonOf(() => files.write('n/m/.telo', 'x'))).toBe('protected');
  expect(reasonOf(() => files.write('a/n/m/.telo/x', 'x'))).toBe('protected');
  expect(readdirSync(root)).toEqual(['a', 'f']);
  expect(readdirSync(join(root, 'a'))).toEqual(['b']);
});

it.each([
  ['writeSync', 'ENOSPC', 'no-space'],
  ['writeSync', 'EDQUOT', 'quota-exhausted'],
  ['fsyncSync', 'EIO', 'operation-failed'],
  ['renameSync', 'EBUSY', 'busy'],
  ['renameSync', 'EXDEV', 'cross-device'],
] as const)('FS-32 keeps the old file when %s fails with %s', (call, errno, reason) => {
  const { system } = failing({ [call]: errno });
  const { files, root } = hostFolder({ f: 'old' }, { system });

  expect(reasonOf(() => files.write('f', 'new'))).toBe(reason);

  expect(readFileSync(join(root, 'f'), 'utf8')).toBe('old');
  expect(readdirSync(root)).toEqual(['f']);
  expect(reasonOf(() => openHostFiles({ root, protectedPaths: () => [] }).write('f', 'new'))).toBe('done');
});

it('FS-32 says when permission is denied, and leaves nothing', () => {
  const { files, root, base } = hostFolder({ 'closed/f': 'old', 'open/f': 'old', unreadable: 'x' });
  for (const [path, mode] of [
    ['', 0o755],
    ['closed', 0o755],
    ['open', 0o777],
    ['closed/f', 0o644],
    ['open/f', 0o644],
    ['unreadable', 0o200],
  ] as const) {
    chmodSync(join(root, path), mode);
  }
  chmodSync(base, 0o755);
  chmodSync(join(root, 'closed'), 0o555);

  const reasons = unprivileged(() =>
    [
      () => files.read('unreadable', LIMIT),
      () => files.write('closed/f', 'new'),
      () => files.write('closed/d/f', 'new'),
      () => files.remove('closed/f'),
      () => files.ensureDirectory('closed/d'),
      () => files.write('open/f', 'new'),
    ].map(reasonOf),
  );

  chmodSync(join(root, 'closed'), 0o755);
  expect(reasons).toEqual([...Array<string>(5).fill('permission-denied'), 'done']);
  expect(readdirSync(join(root, 'closed'))).toEqual(['f']);
});

it.runIf(LINUX)('FS-37 removes what dead writers left, once, and nothing of anybody else', () => {
  const { root } = hostFolder({ 'd/f': 'f', 'd/.xmd-other.tmp': 'kept' });
  const own = temporaryName();
  const [, host, pid, start] = /^\.xmd-(\w+)-(\d+)-(\d+)-/.exec(own) ?? [];
  const random = '0'.repeat(32);
  const gone = spawnSync(process.execPath, ['-e', '']).pid;
  const names = {
    dead: `.xmd-${host}-${gone}-1-${random}.tmp`,
    reused: `.xmd-${host}-${pid}-${Number(start) + 1}-${random}.tmp`,
    living: own,
    foreignOld: `.xmd-00000000-1-1-${random}.tmp`,
    foreignNew: `.xmd-00000001-1-1-${random}.tmp`,
  };
  for (const name of Object.values(names)) {
    writeFileSync(join(root, 'd', name), 'half');
  }
  const longAgo = Date.now() / 1_000 - 2 * 24 * 60 * 60;
  utimesSync(join(root, 'd', names.foreignOld), longAgo, longAgo);

  openHostFiles({ root, protectedPaths: () => [] }).write('d/f', 'new');

  expect(readdirSync(join(root, 'd')).toSorted()).toEqual(
    ['.xmd-other.tmp', names.foreignNew, names.living, 'f'].toSorted(),
  );
});

it('FS-40 removes a file, and is done where there is none', () => {
  const { files, root } = hostFolder({ 'd/f': 'f' });

  files.remove('d/f');
  expect(readdirSync(join(root, 'd'))).toEqual([]);
  expect(reasonOf(() => files.remove('d/f'))).toBe('done');
  expect(reasonOf(() => files.remove('no/such/f'))).toBe('done');
  expect(reasonOf(() => files.remove('d'))).toBe('directory');
  expect(existsSync(join(root, 'd'))).toBe(true);
});

it('FS-42 creates folders, leaves what is there, and refuses a file in the way', () => {
  const { files, root } = hostFolder({ 'd/f': 'f' });
  mkdirSync(join(root, 'real'));
  symlinkSync('real', join(root, 'link'));

  files.ensureDirectory('a/b/c');
  files.ensureDirectory('d');
  files.ensureDirectory('link/below');
  files.ensureDirectory('.');

  expect(statSync(join(root, 'a/b/c')).isDirectory()).toBe(true);
  expect(readFileSync(join(root, 'd/f'), 'utf8')).toBe('f');
  expect(readdirSync(join(root, 'real'))).toEqual(['below']);
  expect(reasonOf(() => files.ensureDirectory('d/f'))).toBe('not-directory');
  expect(reasonOf(() => files.ensureDirectory('d/f/x'))).toBe('not-directory');
});

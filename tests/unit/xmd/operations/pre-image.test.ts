import { createHash } from 'node:crypto';
import { chmodSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createCancellationSource, isInvokeError } from '@telorun/sdk';
import { describe, expect, it } from 'vitest';
import { fileDelete } from '../../../../controllers/xmd/operations/file-delete.ts';
import { fileWrite } from '../../../../controllers/xmd/operations/file-write.ts';
import { hostFolder } from '../providers/host-folder.ts';
import { aScope, anEffect, counting, EFFECT, memoryRun } from './effect-stage.ts';

const WANTED = 'wanted text';
const BEFORE = `${EFFECT}/before`;

const seen = (text: string, mode = 0o644) => ({ sha256: createHash('sha256').update(text).digest('hex'), mode });

type Disk = 'pre-image' | 'wanted' | 'wanted, another mode' | 'pre-image, another mode' | 'other' | 'absent';

const operations = {
  write: { perform: fileWrite, call: 'write' },
  delete: { perform: fileDelete, call: 'remove' },
};

/** What is expected of one operation: performed, done already, or a conflict. */
type Expected = 'performed' | 'done' | 'conflict';

const table: readonly [keyof typeof operations, 'fresh' | 'existing' | 'absent', Disk, Expected][] = [
  ['write', 'fresh', 'pre-image', 'performed'],
  ['write', 'fresh', 'wanted', 'performed'],
  ['write', 'fresh', 'other', 'performed'],
  ['write', 'fresh', 'absent', 'performed'],
  ['write', 'existing', 'pre-image', 'performed'],
  ['write', 'existing', 'wanted', 'done'],
  ['write', 'existing', 'wanted, another mode', 'conflict'],
  ['write', 'existing', 'pre-image, another mode', 'conflict'],
  ['write', 'existing', 'other', 'conflict'],
  ['write', 'existing', 'absent', 'conflict'],
  ['write', 'absent', 'absent', 'performed'],
  ['write', 'absent', 'wanted', 'done'],
  ['write', 'absent', 'wanted, another mode', 'done'],
  ['write', 'absent', 'other', 'conflict'],
  ['delete', 'fresh', 'pre-image', 'performed'],
  ['delete', 'fresh', 'other', 'performed'],
  ['delete', 'fresh', 'absent', 'performed'],
  ['delete', 'existing', 'pre-image', 'performed'],
  ['delete', 'existing', 'pre-image, another mode', 'conflict'],
  ['delete', 'existing', 'other', 'conflict'],
  ['delete', 'existing', 'absent', 'done'],
  ['delete', 'absent', 'absent', 'done'],
  ['delete', 'absent', 'other', 'conflict'],
];

function setUp(disk: Disk) {
  const { files, root } = hostFolder();
  const path = join(root, 'f');
  if (disk !== 'absent') {
    writeFileSync(path, disk.startsWith('wanted') ? WANTED : disk.startsWith('pre-image') ? 'old' : 'edited');
    chmodSync(path, disk.endsWith('another mode') ? 0o600 : 0o644);
  }
  return { ...counting(files), path };
}

const textOf = (path: string): string | undefined => (existsSync(path) ? readFileSync(path, 'utf8') : undefined);

const CONFLICT = { code: 'ERR_XMD_CONFLICT', data: expect.objectContaining({ effect: EFFECT, path: 'f' }) };

const problemOf = (error: unknown) => (isInvokeError(error) ? { code: error.code, data: error.data } : error);

const RECORDS = { fresh: {}, existing: { [BEFORE]: seen('old') }, absent: { [BEFORE]: { absent: true } } };

describe('FS-52', () => {
  it.each(table)('FS-52 a %s with pre-image %s and a disk that is %s: %s', async (name, recorded, disk, expected) => {
    const { files, calls, path } = setUp(disk);
    const run = memoryRun(RECORDS[recorded]);
    const untouched = textOf(path);
    const { perform, call } = operations[name];

    const answered = await perform(files)
      .perform(anEffect({ path: 'f' }), aScope({ durable: run.handle, content: WANTED }))
      .then((value) => ({ value }), problemOf);

    const left = { write: WANTED, delete: undefined }[name];
    expect(answered).toEqual(expected === 'conflict' ? CONFLICT : { value: null });
    expect(textOf(path)).toBe(expected === 'conflict' ? untouched : left);
    expect(calls.filter((made) => made !== 'observe')).toEqual(
      { performed: [call], done: ['persist'], conflict: [] }[expected],
    );
    expect([...run.entries.keys()]).toEqual([BEFORE]);
  });

  it('FS-52 records the pre-image before the change, and keeps the mode', async () => {
    const { files, path } = setUp('pre-image, another mode');
    const run = memoryRun();

    await fileWrite(files).perform(anEffect({ path: 'f' }), aScope({ durable: run.handle, content: WANTED }));

    expect(run.entries.get(BEFORE)).toEqual(seen('old', 0o600));
    expect(textOf(path)).toBe(WANTED);
  });

  it('FS-52 records and performs nothing where no regular file stands', async () => {
    const { files, calls } = setUp('absent');
    files.ensureDirectory('f');
    const run = memoryRun();

    const work = fileWrite(files).perform(anEffect({ path: 'f' }), aScope({ durable: run.handle, content: WANTED }));

    await expect(work).rejects.toMatchObject({ code: 'ERR_XMD_EFFECT', data: { effect: EFFECT, reason: 'directory' } });
    expect(calls).toEqual(['ensureDirectory', 'observe']);
    expect(run.entries.size).toBe(0);
  });
});

describe.each([{ withRecorded: true }, { withRecorded: false }])('attempts, %o', (options) => {
  it.each(['write', 'delete'] as const)(
    'FS-53 a %s repeats a conflict in later attempts, performs nothing and records nothing',
    async (name) => {
      const { files, calls, path } = setUp('other');
      const run = memoryRun(RECORDS.existing, options);
      const performer = operations[name].perform(files);

      for (const attempt of [0, 1]) {
        const scope = aScope({ durable: run.handle, content: WANTED, attempt });
        await expect(performer.perform(anEffect({ path: 'f' }), scope)).rejects.toMatchObject({
          code: 'ERR_XMD_CONFLICT',
        });
      }

      expect(textOf(path)).toBe('edited');
      expect(calls.filter((made) => made !== 'observe')).toEqual([]);
      expect([...run.entries.keys()]).toEqual([BEFORE]);
    },
  );

  it('FS-53 a later attempt looks again and performs when nobody changed the file', async () => {
    const { files, path, calls } = setUp('pre-image');
    const run = memoryRun(RECORDS.existing, options);

    await fileWrite(files).perform(
      anEffect({ path: 'f' }),
      aScope({ durable: run.handle, content: WANTED, attempt: 1 }),
    );

    expect(textOf(path)).toBe(WANTED);
    expect(calls).toContain('write');
    expect([...run.entries.keys()]).toEqual([BEFORE, `${BEFORE}[1]`]);
  });

  it('FS-53 a write that a later attempt performed first is not performed again by its continuation', async () => {
    const { files, path, calls } = setUp('absent');
    const run = memoryRun({}, options);
    const scope = aScope({ durable: run.handle, content: WANTED, attempt: 1 });

    await fileWrite(files).perform(anEffect({ path: 'f' }), scope);
    await fileWrite(files).perform(anEffect({ path: 'f' }), scope);

    expect(calls.filter((made) => made === 'write')).toHaveLength(1);
    expect(textOf(path)).toBe(WANTED);
    expect(run.entries.has(`${BEFORE}[1]`)).toBe(true);
  });
});

it('FS-54 performs without a run, and looks at nothing', async () => {
  const { files, calls, path } = setUp('other');

  await fileWrite(files).perform(anEffect({ path: 'f' }), aScope({ content: WANTED }));
  expect(textOf(path)).toBe(WANTED);
  await fileDelete(files).perform(anEffect({ path: 'f' }), aScope());
  expect(textOf(path)).toBeUndefined();
  expect(calls).toEqual(['write', 'remove']);
});

it.each([
  null,
  'absent',
  {},
  { absent: false },
  { absent: true, sha256: '' },
  { ...seen('old'), extra: 1 },
  { sha256: seen('old').sha256 },
  { ...seen('old'), mode: 0o4755 },
  { ...seen('old'), mode: '420' },
  { ...seen('old'), sha256: 'abc' },
])('FS-55 refuses the recorded pre-image %j, and performs nothing', async (record) => {
  const { files, calls } = setUp('pre-image');
  const hostile = memoryRun({ [BEFORE]: record });
  const scope = aScope({ durable: hostile.handle, content: WANTED });

  await expect(fileWrite(files).perform(anEffect({ path: 'f' }), scope)).rejects.toMatchObject({
    code: 'ERR_XMD_RECORD_UNREADABLE',
    data: { resumable: true },
  });
  expect(calls).toEqual([]);
  const genuine = aScope({ durable: memoryRun(RECORDS.existing).handle, content: WANTED });
  expect(await fileWrite(files).perform(anEffect({ path: 'f' }), genuine)).toBeNull();
});

it('FS-56 performs nothing once cancelled, before or while the pre-image is recorded', async () => {
  const { files, calls, path } = setUp('pre-image');
  const before = createCancellationSource();
  before.cancel('stop');
  const during = createCancellationSource();
  const run = memoryRun();
  const slow = {
    ...run.handle,
    decide: async <T>(at: string, kind: 'value', compute: () => T): Promise<T> => {
      const value = await run.handle.decide(at, kind, compute);
      during.cancel('stop');
      return value;
    },
  };

  for (const operation of [fileWrite(files), fileDelete(files)]) {
    const cancelled = operation.perform(anEffect({ path: 'f' }), aScope({ cancellation: before.token }));
    await expect(cancelled).rejects.toMatchObject({ code: 'ERR_INVOKE_CANCELLED' });
  }
  expect(calls).toEqual([]);
  const scope = aScope({ cancellation: during.token, content: WANTED, durable: slow });
  await expect(fileWrite(files).perform(anEffect({ path: 'f' }), scope)).rejects.toMatchObject({
    code: 'ERR_INVOKE_CANCELLED',
  });
  expect(calls).toEqual(['observe']);
  expect(textOf(path)).toBe('old');
});

it('FS-52 passes an error of the handle untouched and performs nothing', async () => {
  const { files, calls } = setUp('pre-image');
  const lost = Object.assign(new Error('lost'), { code: 'ERR_DURABLE_CLAIM_LOST' });
  const handle = { ...memoryRun().handle, decide: () => Promise.reject(lost) };

  await expect(
    fileWrite(files).perform(anEffect({ path: 'f' }), aScope({ durable: handle, content: WANTED })),
  ).rejects.toBe(lost);
  expect(calls).toEqual([]);
});

it('FS-52 a second process finishes what a killed one left at any point', async () => {
  for (const killedAfter of ['the record', 'the change'] as const) {
    const { files, path, calls } = setUp('pre-image');
    const run = memoryRun(RECORDS.existing);
    if (killedAfter === 'the change') {
      rmSync(path);
      writeFileSync(path, WANTED, { mode: 0o644 });
    }

    await fileWrite(files).perform(anEffect({ path: 'f' }), aScope({ durable: run.handle, content: WANTED }));

    expect(textOf(path)).toBe(WANTED);
    expect(calls.includes('write')).toBe(killedAfter === 'the record');
  }
});

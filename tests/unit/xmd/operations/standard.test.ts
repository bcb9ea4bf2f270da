import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { standardPerformers } from '../../../../controllers/xmd/operations/standard.ts';
import type { Performer } from '../../../../controllers/xmd/operations/performer.ts';
import { hostFolder } from '../providers/host-folder.ts';
import { aScope, anEffect, counting, EFFECT, memoryRun } from './effect-stage.ts';

function setUp(contents: Record<string, string> = {}) {
  const { files, root } = hostFolder(contents);
  const counted = counting(files);
  const performers = standardPerformers(counted.files);
  const named = (key: string): Performer => {
    const found = performers.get(key);
    expect(found).toBeDefined();
    return found ?? { perform: () => Promise.reject(new Error('none')), render: () => '' };
  };
  return { root, calls: counted.calls, performers, named };
}

it('FS-50 FS-51 FS-57 FS-58 names the standard operations and no others', () => {
  expect([...setUp().performers.keys()]).toEqual(['File:read', 'File:write', 'Dir', 'File.Delete']);
});

it('FS-50 answers the text of a file and renders it', async () => {
  const { named, calls } = setUp({ 'd/f': 'text\r\n' });
  const read = named('File:read');

  const value = await read.perform(anEffect({ path: 'd/f' }), aScope({ durable: memoryRun().handle }));

  expect(value).toBe('text\r\n');
  expect(read.render(value, 'ignored')).toBe('text\r\n');
  expect(calls).toEqual(['read']);
});

it('FS-50 FS-01 says which effect failed, and reads within fileBytes', async () => {
  const { named } = setUp({ f: '12345' });
  const { limits } = aScope();
  const within = (fileBytes: number) =>
    named('File:read').perform(anEffect({ path: 'f' }), aScope({ limits: { ...limits, fileBytes } }));

  await expect(within(4)).rejects.toMatchObject({
    code: 'ERR_XMD_EFFECT',
    data: { effect: EFFECT, reason: 'too-large', path: 'f' },
  });
  expect(await within(5)).toBe('12345');
});

it('FS-51 writes exactly its content within fileBytes, answers null and renders nothing', async () => {
  const { named, root, calls } = setUp();
  const write = named('File:write');
  const { limits } = aScope();
  const within = (fileBytes: number) =>
    write.perform(anEffect({ path: 'f' }), aScope({ content: 'é\r\n', limits: { ...limits, fileBytes } }));

  await expect(within(3)).rejects.toMatchObject({
    code: 'ERR_XMD_EFFECT',
    data: { effect: EFFECT, reason: 'too-large' },
  });
  expect(calls).toEqual([]);
  expect(await within(4)).toBeNull();
  expect(readFileSync(join(root, 'f'), 'utf8')).toBe('é\r\n');
  expect(write.render(null, 'é')).toBe('');
});

it('FS-57 removes a file, answers null and renders nothing; twice is fine', async () => {
  const { named, root } = setUp({ f: 'f' });
  const remove = named('File.Delete');

  expect(await remove.perform(anEffect({ path: 'f' }), aScope())).toBeNull();
  expect(await remove.perform(anEffect({ path: 'f' }), aScope())).toBeNull();
  expect(existsSync(join(root, 'f'))).toBe(false);
  expect(remove.render(null, '')).toBe('');
});

it('FS-58 creates a folder without a pre-image, answers null and renders its content', async () => {
  const { named, root, calls } = setUp();
  const dir = named('Dir');
  const run = memoryRun();

  expect(await dir.perform(anEffect({ path: 'a/b' }), aScope({ durable: run.handle }))).toBeNull();

  expect(existsSync(join(root, 'a/b'))).toBe(true);
  expect(calls).toEqual(['ensureDirectory']);
  expect(run.entries.size).toBe(0);
  expect(dir.render(null, 'inside')).toBe('inside');
});

import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { directoryHandles } from '../../../../controllers/xmd/providers/directory-handles.ts';
import { verifiedPaths } from '../../../../controllers/xmd/providers/fallback.ts';
import { NODE_SYSTEM_CALLS } from '../../../../controllers/xmd/providers/system-calls.ts';
import { hostFolder, reasonOf } from './host-folder.ts';

const ways = [
  { way: 'by path', holding: verifiedPaths(NODE_SYSTEM_CALLS) },
  ...(process.platform === 'linux' ? [{ way: 'by handle', holding: directoryHandles(NODE_SYSTEM_CALLS) }] : []),
];

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

describe.each(ways)('held $way', ({ holding }) => {
  const folder = (contents: Record<string, string> = {}) => hostFolder(contents, { holding });
  const write = { access: 'write', maxBytes: 10 } as const;

  it('FS-19 answers place, observation and bytes of one reading', () => {
    const { files, root } = folder({ 'dir/f': 'text' });
    symlinkSync('dir', join(root, 'link'));
    chmodSync(join(root, 'dir/f'), 0o640);
    const found = { sha256: sha256('text'), mode: 0o640 };
    const inspected = files.inspect('link/f', write);
    expect(inspected).toEqual({ place: 'dir/f', found, size: 4, bytes: Buffer.from('text') });
    expect(files.observe('link/f')).toEqual(found);
    expect(files.inspect('dir/f', { ...write, maxBytes: 4 }).bytes).toEqual(Buffer.from('text'));
    expect(files.inspect('dir/f', { ...write, maxBytes: 3 })).toEqual({ place: 'dir/f', found, size: 4 });
  });

  it('FS-19 answers absent for what is not there, at its place as far as there is a way', () => {
    const { files, root } = folder({ 'dir/f': '' });
    symlinkSync('dir', join(root, 'link'));
    expect(files.inspect('link/g', write)).toEqual({ place: 'dir/g', found: { absent: true } });
    expect(files.inspect('none/g', write)).toEqual({ place: 'none/g', found: { absent: true } });
    expect(files.inspect('link/none/g', write)).toMatchObject({ place: 'dir/none/g' });
    symlinkSync('dir/../hang/./on', join(root, 'hanging'));
    expect(files.inspect('hanging/g', write)).toMatchObject({ place: 'hang/on/g' });
    expect(files.inspect('hanging', { ...write, access: 'read' })).toEqual({
      place: 'hang/on',
      found: { absent: true },
    });
    expect(hostFolder({}, { holding, root: join(root, 'missing') }).files.inspect('g', write)).toEqual({
      place: 'g',
      found: { absent: true },
    });
  });

  it('FS-19 follows the last part as the access does', () => {
    const { files, root } = folder({ f: 'text', '../outside': 'secret' });
    symlinkSync('f', join(root, 'link'));
    symlinkSync('../outside', join(root, 'out'));
    expect(files.inspect('link', { access: 'read', maxBytes: 10 })).toMatchObject({ place: 'f', size: 4 });
    expect(reasonOf(() => files.inspect('link', write))).toBe('symbolic-link');
    expect(reasonOf(() => files.inspect('link', { access: 'delete', maxBytes: 10 }))).toBe('symbolic-link');
    expect(reasonOf(() => files.inspect('out', { access: 'read', maxBytes: 10 }))).toBe('resolved-escape');
  });

  it('FS-19 refuses where the access would', () => {
    const { files, root } = folder({ f: 'text', '.telo/x': '' });
    mkdirSync(join(root, 'dir'));
    expect(reasonOf(() => files.inspect('dir', write))).toBe('directory');
    expect(reasonOf(() => files.inspect('.telo/x', write))).toBe('protected');
    expect(reasonOf(() => files.inspect('f/g', write))).toBe('not-directory');
    expect(reasonOf(() => files.inspect('f', { access: 'read', maxBytes: 3 }))).toBe('too-large');
    expect(reasonOf(() => files.inspect('f', { access: 'directory', maxBytes: 0 }))).toBe('not-directory');
    expect(reasonOf(() => files.inspect('dir', { access: 'directory', maxBytes: 0 }))).toBe('directory');
  });

  it('FS-19 stays inside the limits of the access, and out of what is protected though it is not there', () => {
    const { files, root } = folder({ 'docs/f': '', 'src/f': '' });
    const limited = hostFolder(
      {},
      {
        holding,
        root,
        permits: (access, place) => access === 'delete' || place.startsWith('docs/'),
        protectedPaths: () => [join(root, 'docs/kept')],
      },
    ).files;
    expect(files.inspect('src/f', write)).toMatchObject({ place: 'src/f' });
    expect(reasonOf(() => limited.inspect('src/f', write))).toBe('outside-limits');
    expect(reasonOf(() => limited.inspect('docs/kept', write))).toBe('protected');
    expect(limited.inspect('src/f', { ...write, access: 'delete' })).toMatchObject({ place: 'src/f' });
    expect(limited.inspect('docs/f', write)).toMatchObject({ place: 'docs/f' });
  });
});

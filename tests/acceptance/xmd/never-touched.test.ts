import { existsSync, linkSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { evaluating, FLOW, World } from './real-kernel.ts';

const FILES = ['telo.yaml', 'shop/telo.yaml', 'shop/shop.mjs', 'runs.db', 'runs.db-wal', 'runs.db-shm'];
const NEW = ['runs.db-journal', '.telo/x', 'work/.telo/x'];

/** An application whose profile states its whole folder, and every path of it, as the root. */
function wholeFolder(): World {
  const profile = evaluating().replace(
    'root: ./work',
    "root: .\npaths: { read: { allow: ['**', '.*', '.telo/**', 'work/.telo/**'] }, write: { allow: ['**', '.*', '.telo/**', 'work/.telo/**'] }, delete: { allow: ['**', '.*', '.telo/**', 'work/.telo/**'] } }",
  );
  return new World(profile + FLOW, { files: { 'kept.md': 'kept' } });
}

it('FS-20 FS-22 whatever the profile states, manifests, controllers, .telo and the journal are never touched, under no name', async () => {
  const world = wholeFolder();
  const process = await world.process();
  expect(await process.run('twin', { text: '<File path="kept.md" /><File path="work/b.md">B</File>' })).toMatchObject({
    status: 'completed',
  });
  const at = (path: string): string => join(world.folder, path);
  const links = FILES.flatMap((path, index) => {
    linkSync(at(path), at(`hard${index}`));
    symlinkSync(path, at(`soft${index}`));
    return [`hard${index}`, `soft${index}`];
  });
  const manifests = FILES.slice(0, 3).map((path) => readFileSync(at(path), 'utf8'));

  let run = 0;
  for (const path of [...FILES, ...links, ...NEW]) {
    for (const element of [
      `<File path="${path}" />`,
      `<File path="${path}">taken over</File>`,
      `<File.Delete path="${path}" />`,
    ]) {
      const id = `r${(run += 1)}`;
      const end = await process.run(id, { text: `${element}<File path="work/behind.md">never</File>` });
      expect({ element, end }).toMatchObject({ element, end: { status: 'failed' } });
      expect({ element, keys: await process.keys(id) }).toEqual({
        element,
        keys: expect.not.arrayContaining(['steps/apply/xmd[0]/File', 'steps/apply/xmd[0]/File.Delete']),
      });
    }
  }
  expect(FILES.slice(0, 3).map((path) => readFileSync(at(path), 'utf8'))).toEqual(manifests);
  expect([...NEW, 'work/behind.md'].filter((path) => existsSync(at(path)))).toEqual([]);
  // The journal has kept every run of these.
  expect(await process.workflow.journal.readRun(`r${run}`)).toMatchObject({ status: 'failed' });
  expect(await process.run('last', { text: '<File path="kept.md" />' })).toMatchObject({ status: 'completed' });
});

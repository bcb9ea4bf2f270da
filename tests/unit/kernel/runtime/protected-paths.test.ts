import { expect, it } from 'vitest';
import { ProtectedPaths } from '../../../../kernel/runtime/protected-paths.ts';

type Sources = ConstructorParameters<typeof ProtectedPaths>[0];

it('FS-20 a file that joins late, changes or goes is known at the next question; else the list is the same', () => {
  const controllers = new Set(['/app/c.mjs']);
  const journal = { files: ['/app/runs.db', 1, '/app/c.mjs'] };
  const record: { instance?: object } = {};
  const scopes: { module?: { files: readonly string[] } }[] = [{ module: { files: ['/app/telo.yaml'] } }, {}];
  const records = [record, { instance: {} }, { instance: { files: 'no list' } }];
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- of scopes and records it reads these members alone
  const paths = new ProtectedPaths({ scopes, records, definitions: { files: controllers } } as unknown as Sources);
  const before = ['/app/telo.yaml', '/app/c.mjs', '/app/c.mjs.map'];

  expect(paths.list()).toEqual(before);
  expect(paths.list()).toBe(paths.list());
  expect(Object.isFrozen(paths.list())).toBe(true);
  record.instance = journal;
  expect(paths.list()).toEqual([...before, '/app/runs.db']);
  journal.files[0] = '/app/moved.db';
  expect(paths.list()).toEqual([...before, '/app/moved.db']);
  journal.files.push('/app/moved.db-wal');
  expect(paths.list()).toEqual([...before, '/app/moved.db', '/app/moved.db-wal']);
  records.splice(0, 1);
  expect(paths.list()).toEqual(before);
  scopes.push({ module: { files: ['/lib/telo.yaml'] } });
  const joined = ['/app/telo.yaml', '/lib/telo.yaml', '/app/c.mjs', '/app/c.mjs.map'];
  expect(paths.list()).toEqual(joined);
  controllers.add('/lib/c.mjs');
  expect(paths.list()).toEqual([...joined, '/lib/c.mjs', '/lib/c.mjs.map']);
});

import { closeSync, fsyncSync, mkdirSync, openSync, renameSync, writeSync } from 'node:fs';
import { join } from 'node:path';

const now = () => Number(process.hrtime.bigint()) / 1e6;

async function open(file) {
  const { default: Database } = await import('better-sqlite3');
  const db = new Database(file);
  db.pragma('journal_mode = WAL');
  db.pragma('synchronous = FULL');
  db.exec('CREATE TABLE IF NOT EXISTS floor (seq INTEGER PRIMARY KEY, path TEXT NOT NULL, value TEXT NOT NULL)');
  return db;
}

async function floorRows({ n, folder, bytes = 60 }) {
  const db = await open(join(folder, 'floor.db'));
  const insert = db.prepare('INSERT INTO floor (path, value) VALUES (?, ?)');
  const value = JSON.stringify('.'.repeat(bytes));
  const began = now();
  for (let index = 0; index < n; index += 1) insert.run(`steps/apply/xmd[${index}]/File`, value);
  const ms = now() - began;
  db.close();
  return { ms, perSecond: n / (ms / 1000) };
}

async function floorWrites({ n, folder }) {
  const db = await open(join(folder, 'floor.db'));
  const insert = db.prepare('INSERT INTO floor (path, value) VALUES (?, ?)');
  const target = join(folder, 'files');
  mkdirSync(target);
  const directory = openSync(target, 'r');
  const bytes = Buffer.from('.'.repeat(1024));
  const began = now();
  for (let index = 0; index < n; index += 1) {
    insert.run(`steps/apply/xmd[${index}]/File/before`, '{"absent":true}');
    const temporary = join(target, `.tmp-${index}`);
    const file = openSync(temporary, 'wx', 0o666);
    writeSync(file, bytes);
    fsyncSync(file);
    closeSync(file);
    renameSync(temporary, join(target, `f${index}.txt`));
    fsyncSync(directory);
    insert.run(`steps/apply/xmd[${index}]/File`, 'null');
  }
  const ms = now() - began;
  db.close();
  return { ms, perSecond: n / (ms / 1000) };
}

/** Reads and parses every row that the run left, in order, as a fresh process would. */
async function floorReplay({ folder }) {
  const { default: Database } = await import('better-sqlite3');
  const began = now();
  const db = new Database(join(folder, 'runs.db'), { readonly: true });
  let parsed = 0;
  for (const { value } of db.prepare('SELECT path, value FROM entries ORDER BY id').iterate()) {
    if (value !== null) JSON.parse(value);
    parsed += 1;
  }
  const ms = now() - began;
  db.close();
  return { ms, parsed };
}

export { floorRows as 'floor-rows', floorWrites as 'floor-writes', floorReplay as 'floor-replay' };

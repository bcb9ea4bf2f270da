import { writeFileSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import type { SqlDatabase, SqlRow } from '../../controllers/journal-sqlite/driver.ts';
import { findDriver } from '../../controllers/journal-sqlite/open-database.ts';
import { APPLICATION_ID, MIGRATIONS } from '../../controllers/journal-sqlite/schema.ts';

const TABLES = ['journal', 'runs', 'entries', 'waits'] as const;

/** Everything in a journal, as statements that make it again. */
export async function dump(file: string): Promise<string> {
  return withDatabase(file, (database) => {
    const schema = database
      .prepare("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY type = 'index', name")
      .all()
      .map((row) => `${String(row['sql'])};`);
    const version = Number(database.prepare('PRAGMA user_version').get()?.['user_version']);
    const rows = TABLES.flatMap((table) =>
      database
        .prepare(`SELECT * FROM ${table} ORDER BY id`)
        .all()
        .map((row) => insertion(table, table === 'runs' ? unclaimed(row) : row)),
    );
    return [...schema, ...rows, ...marks(version), ''].join('\n');
  });
}

/** The same runs as a journal of schema version 1 had them: no identity, no digests, a sum for each entry. */
export async function dumpVersion1(file: string): Promise<string> {
  return withDatabase(file, (database) => {
    const [schema] = MIGRATIONS;
    const runs = database
      .prepare('SELECT * FROM runs ORDER BY id')
      .all()
      .map((row) => insertion('runs', unclaimed(without(row, 'seal'))));
    const entries = database
      .prepare('SELECT * FROM entries WHERE path IS NOT NULL ORDER BY id')
      .all()
      .map((row, index) => insertion('entries', { ...without(row, 'digest'), id: index + 1, sum: sumOf(row) }));
    const waits = database
      .prepare('SELECT * FROM waits ORDER BY id')
      .all()
      .map((row) => insertion('waits', without(row, 'digest')));
    return [String(schema), ...runs, ...entries, ...waits, ...marks(1), ''].join('\n');
  });
}

/** Makes a journal from its dump. */
export async function load(file: string, sql: string): Promise<void> {
  // A driver opens a file and makes none.
  writeFileSync(file, '');
  await withDatabase(file, (database) => database.exec(sql));
}

async function withDatabase<T>(file: string, work: (database: SqlDatabase) => T): Promise<T> {
  const driver = await findDriver(file);
  const database = driver.open(file, 1_000);
  try {
    return work(database);
  } finally {
    database.close();
  }
}

/** The sum that version 1 kept of an entry. */
function sumOf(row: SqlRow): number {
  const head = `${text(row['kind'])} ${text(row['path'])} ${text(row['target'])}`;
  return crc32(row['value'] === null ? head : `${head}\n${text(row['value'])}`);
}

/** Who held it is of no use on another machine. */
function unclaimed(row: SqlRow): SqlRow {
  return { ...row, holder: null, claim_until: null, owner: null };
}

function without(row: SqlRow, column: string): SqlRow {
  return Object.fromEntries(Object.entries(row).filter(([name]) => name !== column));
}

function marks(version: number): readonly string[] {
  return [`PRAGMA application_id = ${String(APPLICATION_ID)};`, `PRAGMA user_version = ${String(version)};`];
}

function insertion(table: string, row: SqlRow): string {
  return `INSERT INTO ${table} (${Object.keys(row).join(', ')}) VALUES (${Object.values(row).map(literal).join(', ')});`;
}

function literal(value: unknown): string {
  if (value === null) return 'NULL';
  return typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : text(value);
}

function text(value: unknown): string {
  if (value === null) return '';
  if (typeof value === 'string' || typeof value === 'number') return String(value);
  throw new TypeError('a column of a journal holds text, a number or nothing');
}

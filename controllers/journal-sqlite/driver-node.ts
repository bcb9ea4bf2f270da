import type { SqlDatabase, SqlDriver, SqlParameters, SqlRow, SqlStatement } from './driver.ts';

interface NodeStatement {
  run(...parameters: readonly unknown[]): { readonly changes: number | bigint };
  get(...parameters: readonly unknown[]): SqlRow | undefined;
  all(...parameters: readonly unknown[]): readonly SqlRow[];
  iterate(...parameters: readonly unknown[]): Iterable<SqlRow>;
}

interface NodeDatabase {
  exec(sql: string): void;
  prepare(sql: string): NodeStatement;
  close(): void;
}

type NodeDatabaseSync = new (file: string) => NodeDatabase;

const CODES: Readonly<Record<number, string>> = {
  5: 'SQLITE_BUSY',
  6: 'SQLITE_LOCKED',
  8: 'SQLITE_READONLY',
  10: 'SQLITE_IOERR',
  11: 'SQLITE_CORRUPT',
  13: 'SQLITE_FULL',
  14: 'SQLITE_CANTOPEN',
  19: 'SQLITE_CONSTRAINT',
  23: 'SQLITE_AUTH',
  26: 'SQLITE_NOTADB',
};
const BUSY_SNAPSHOT = 517;

function isConstructor(value: unknown): value is NodeDatabaseSync {
  return typeof value === 'function';
}

/** Node's own SQLite, or undefined in a Node that has none (or hides it behind a flag). Pure. */
export function nodeDriver(): SqlDriver | undefined {
  // Asked for at run time: a static import fails where the module is absent, and a version test is wrong before 22.13.
  const builtin: unknown = process.getBuiltinModule?.('node:sqlite');
  if (typeof builtin !== 'object' || builtin === null || !('DatabaseSync' in builtin)) return undefined;
  const { DatabaseSync } = builtin;
  if (!isConstructor(DatabaseSync)) return undefined;
  return {
    name: 'node:sqlite',
    open: (file, busyTimeoutMs) => openNode(new DatabaseSync(file), busyTimeoutMs),
    codeOf,
  };
}

function openNode(database: NodeDatabase, busyTimeoutMs: number): SqlDatabase {
  database.exec(`PRAGMA busy_timeout = ${String(busyTimeoutMs)}`);
  return {
    exec: (sql) => database.exec(sql),
    prepare: (sql) => wrap(database.prepare(sql)),
    close: () => database.close(),
  };
}

function wrap(statement: NodeStatement): SqlStatement {
  return {
    run: (parameters) => Number(statement.run(...spread(parameters)).changes),
    get: (parameters) => statement.get(...spread(parameters)),
    all: (parameters) => statement.all(...spread(parameters)),
    iterate: (parameters) => statement.iterate(...spread(parameters)),
  };
}

function spread(parameters: SqlParameters | undefined): readonly unknown[] {
  if (parameters === undefined) return [];
  return isList(parameters) ? parameters : [parameters];
}

function isList(parameters: SqlParameters): parameters is Extract<SqlParameters, readonly unknown[]> {
  return Array.isArray(parameters);
}

function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('errcode' in error) || typeof error.errcode !== 'number') return undefined;
  if (error.errcode === BUSY_SNAPSHOT) return 'SQLITE_BUSY_SNAPSHOT';
  return CODES[error.errcode & 0xff] ?? 'SQLITE_ERROR';
}

import type { SqlDatabase, SqlDriver, SqlParameters, SqlRow, SqlStatement } from './driver.ts';

interface BetterStatement {
  run(...parameters: readonly SqlParameters[]): { readonly changes: number | bigint };
  get(...parameters: readonly SqlParameters[]): SqlRow | undefined;
  all(...parameters: readonly SqlParameters[]): readonly SqlRow[];
  iterate(...parameters: readonly SqlParameters[]): Iterable<SqlRow>;
}

interface BetterDatabase {
  exec(sql: string): unknown;
  prepare(sql: string): BetterStatement;
  close(): unknown;
}

type BetterConstructor = new (file: string, options: { fileMustExist: boolean; timeout: number }) => BetterDatabase;

// A name that the bundler cannot see stays an import at run time; native code must not be bundled.
const NATIVE: string = 'better-sqlite3';

function isConstructor(value: unknown): value is BetterConstructor {
  return typeof value === 'function';
}

/** The better-sqlite3 that is installed beside this code. Effect: loads native code; throws what loading it threw. */
export async function betterDriver(): Promise<SqlDriver> {
  const loaded: unknown = await import(NATIVE);
  const Database = typeof loaded === 'object' && loaded !== null && 'default' in loaded ? loaded.default : undefined;
  if (!isConstructor(Database)) throw new TypeError('better-sqlite3 exports no constructor');
  return {
    name: 'better-sqlite3',
    open: (file, busyTimeoutMs) => openBetter(new Database(file, { fileMustExist: true, timeout: busyTimeoutMs })),
    codeOf,
  };
}

function openBetter(database: BetterDatabase): SqlDatabase {
  return {
    exec: (sql) => void database.exec(sql),
    prepare: (sql) => wrap(database.prepare(sql)),
    close: () => void database.close(),
  };
}

function wrap(statement: BetterStatement): SqlStatement {
  return {
    run: (parameters) => Number((parameters ? statement.run(parameters) : statement.run()).changes),
    get: (parameters) => (parameters ? statement.get(parameters) : statement.get()),
    all: (parameters) => (parameters ? statement.all(parameters) : statement.all()),
    iterate: (parameters) => (parameters ? statement.iterate(parameters) : statement.iterate()),
  };
}

/** `SQLITE_IOERR_FSYNC` counts as `SQLITE_IOERR`; only the snapshot conflict keeps its longer name. */
function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return undefined;
  if (!error.code.startsWith('SQLITE_')) return undefined;
  if (error.code === 'SQLITE_BUSY_SNAPSHOT') return error.code;
  return error.code.split('_').slice(0, 2).join('_');
}

/** The smallest SQLite that the journal needs. Two implementations: Node's own, and better-sqlite3. */

type SqlValue = string | number | null;
/** By name, or in the order of the `?` of a statement, which is faster. */
export type SqlParameters = Readonly<Record<string, SqlValue>> | readonly SqlValue[];
export type SqlRow = Readonly<Record<string, unknown>>;

/** A prepared statement. Parameters are `:run` or `?`: numbered ones (`?1`) mean different things to the two drivers. */
export interface SqlStatement {
  /** Answers how many rows changed. */
  run(parameters?: SqlParameters): number;
  get(parameters?: SqlParameters): SqlRow | undefined;
  all(parameters?: SqlParameters): readonly SqlRow[];
  /** The rows as they are read; nothing else is asked of the connection until the last one. */
  iterate(parameters?: SqlParameters): Iterable<SqlRow>;
}

export interface SqlDatabase {
  exec(sql: string): void;
  prepare(sql: string): SqlStatement;
  close(): void;
}

export interface SqlDriver {
  readonly name: 'node:sqlite' | 'better-sqlite3';
  /** Opens an existing file for reading and writing. Effect. */
  open(file: string, busyTimeoutMs: number): SqlDatabase;
  /** The primary result code of a failure of this driver (`SQLITE_BUSY`, `SQLITE_BUSY_SNAPSHOT`); undefined for others. Pure. */
  codeOf(error: unknown): string | undefined;
}

/**
 * Runs `work` in one immediate transaction: the write lock is taken before anything is read. Effect.
 *
 * What `work` throws is thrown on, after a rollback.
 */
export function immediately<T>(database: SqlDatabase, work: () => T): T {
  database.exec('BEGIN IMMEDIATE');
  try {
    const result = work();
    database.exec('COMMIT');
    return result;
  } catch (error) {
    rollBack(database, error);
    throw error;
  }
}

/** SQLite has already rolled back after some failures (a full disk); the failure that led here is the one to tell. */
export function rollBack(database: Pick<SqlDatabase, 'exec'>, reason: unknown): void {
  try {
    database.exec('ROLLBACK');
  } catch (error) {
    if (error === reason) throw error;
  }
}

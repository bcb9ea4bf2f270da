import { statSync } from 'node:fs';
import type { InvokeError } from '@telorun/sdk';
import { isInvokeError } from '@telorun/sdk';
import {
  type SqlDatabase,
  type SqlDriver,
  type SqlParameters,
  type SqlRow,
  type SqlStatement,
  rollBack,
} from './driver.ts';
import { UnreadableRecord, corruptError, runNotFoundError, sqliteError, unavailableError } from './errors.ts';
import { integerOf } from './values.ts';

export interface StoreOptions {
  readonly database: SqlDatabase;
  readonly driver: Pick<SqlDriver, 'codeOf'>;
  readonly file: string;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** One open file: prepared statements, transactions, and the only place where failures of SQLite get their codes. */
export class Store {
  readonly file: string;
  readonly now: () => number;
  readonly #database: SqlDatabase;
  readonly #driver: Pick<SqlDriver, 'codeOf'>;
  readonly #statements = new Map<string, SqlStatement>();
  readonly #identity: string | undefined;
  #open = true;

  constructor(options: StoreOptions) {
    this.file = options.file;
    this.now = options.now;
    this.#database = options.database;
    this.#driver = options.driver;
    this.#identity = identityOf(options.file);
  }

  run(sql: string, parameters?: SqlParameters): number {
    return this.#statement(sql).run(parameters);
  }

  get(sql: string, parameters?: SqlParameters): SqlRow | undefined {
    return this.#statement(sql).get(parameters);
  }

  all(sql: string, parameters?: SqlParameters): readonly SqlRow[] {
    return this.#statement(sql).all(parameters);
  }

  iterate(sql: string, parameters?: SqlParameters): Iterable<SqlRow> {
    return this.#statement(sql).iterate(parameters);
  }

  /** Runs `work`; a failure of SQLite becomes a coded error. Outermost in every operation of the journal. */
  reading<T>(run: string | undefined, work: () => T): T {
    if (!this.#open) throw this.#closed(run);
    try {
      return work();
    } catch (error) {
      throw this.#coded(error, run);
    }
  }

  /**
   * Runs a statement that is a transaction of its own and may refuse; answers whether it did not. What it refuses is as if
   * it had never run.
   */
  guarded(run: string | undefined, sql: string, parameters: SqlParameters): boolean {
    return this.reading(run, () => {
      try {
        this.run(sql, parameters);
        return true;
      } catch (error) {
        if (this.#driver.codeOf(error) === 'SQLITE_CONSTRAINT') return false;
        throw error;
      }
    });
  }

  /** The same inside one immediate transaction, which takes the write lock before `work` reads anything. */
  writing<T>(run: string | undefined, work: () => T): T {
    this.assertInPlace(run);
    return this.#inTransaction(run, 'BEGIN IMMEDIATE', work);
  }

  /** The same for reading: everything that `work` reads is of one moment. Takes no lock that a writer would wait for. */
  snapshot<T>(run: string | undefined, work: () => T): T {
    return this.#inTransaction(run, 'BEGIN', work);
  }

  /**
   * Asserts that the open file is the one that others find under its name. SQLite goes on writing into a file that was
   * moved, removed or replaced, and nobody would ever read that.
   *
   * @throws InvokeError ERR_DURABLE_JOURNAL_UNAVAILABLE
   */
  assertInPlace(run: string | undefined): void {
    if (!this.#open) throw this.#closed(run);
    if (identityOf(this.file) === this.#identity) return;
    const place = { file: this.file, ...(run === undefined ? {} : { run }) };
    const detail = 'its file was moved, removed or replaced while it was open';
    throw unavailableError(place, detail, 'Put the file back where it was, then resume the run.');
  }

  /** The number that a run has inside the file. @throws InvokeError ERR_DURABLE_RUN_NOT_FOUND */
  idOf(run: string): number {
    const row = this.get('SELECT id FROM runs WHERE run = :run', { run });
    if (row === undefined) throw runNotFoundError({ file: this.file, run });
    return integerOf(row, 'id');
  }

  close(): void {
    if (!this.#open) return;
    this.#open = false;
    this.#statements.clear();
    this.#database.close();
  }

  #inTransaction<T>(run: string | undefined, begin: string, work: () => T): T {
    return this.reading(run, () => {
      this.run(begin);
      try {
        const result = work();
        this.run('COMMIT');
        return result;
      } catch (error) {
        rollBack(this.#database, error);
        throw error;
      }
    });
  }

  #statement(sql: string): SqlStatement {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      statement = this.#database.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }

  #coded(error: unknown, run: string | undefined): unknown {
    if (isInvokeError(error)) return error;
    const place = { file: this.file, ...(run === undefined ? {} : { run }) };
    if (error instanceof UnreadableRecord) return corruptError({ ...place, ...error.where }, error.message, error);
    const code = this.#driver.codeOf(error);
    return code === undefined ? error : sqliteError(code, place, error);
  }

  #closed(run: string | undefined): InvokeError {
    const place = { file: this.file, ...(run === undefined ? {} : { run }) };
    return unavailableError(place, 'it is closed', 'Open the journal again.');
  }
}

/** Device and inode of what stands at a path; undefined where nothing can be seen. */
function identityOf(file: string): string | undefined {
  const found = statSync(file, { bigint: true, throwIfNoEntry: false });
  return found === undefined ? undefined : `${String(found.dev)}:${String(found.ino)}`;
}

import Libsql from "libsql";
import type { SqlValue } from "#store/statement.ts";
import { movedMessage, PlacedFile } from "./placed-file.ts";
import { StatementCache } from "./statement-cache.ts";

export interface SqlStatement {
  readonly sql: string;
  readonly args: readonly (SqlValue | undefined)[];
}

export type BatchMode = "read" | "write";
export type SqlRow = readonly unknown[];

/** An error that can be sent between threads. `statementIndex` is the index of the rejected statement. */
export class SqlError extends Error {
  override readonly name = "SqlError";
  readonly code: string;
  readonly statementIndex: number | undefined;

  constructor(message: string, code: string, statementIndex?: number) {
    super(message);
    this.code = code;
    this.statementIndex = statementIndex;
  }
}

/** The time to wait for another connection to the file (ms). */
const busyMs = 5_000;
const maxPrepared = 300;
const movedCode = "SQLITE_READONLY_DBMOVED";

interface Prepared {
  readonly statement: Libsql.Statement;
  readonly hasRows: boolean;
}

export interface ConnectionOptions {
  /** The size of the page cache in KiB. */
  readonly cacheKibibytes?: number;
  /** If true, the file isn't created. While it is missing, statements are refused. */
  readonly mustExist?: boolean;
  /** The inode of the file that must exist. By default, that of the first file that is found. */
  readonly inode?: number | undefined;
}

/** A connection to a database file. Its calls block until they are done, so use it in a separate thread. */
export class SqlConnection {
  /** Undefined from a failed commit to the next statement, and while a file that must exist is missing. */
  #database: Libsql.Database | undefined;
  readonly #file: string;
  #placed: PlacedFile;
  readonly #cacheKibibytes: number;
  /**
   * Prepared statements. Their memory is outside JavaScript's heap, and is freed only when the garbage collector finds
   * discarded statements.
   */
  readonly prepared = new StatementCache(maxPrepared, (sql) => this.#prepare(sql));

  constructor(file: string, { cacheKibibytes = 16_384, mustExist = false, inode }: ConnectionOptions = {}) {
    this.#file = file;
    this.#cacheKibibytes = cacheKibibytes;
    if (mustExist) {
      this.#placed = new PlacedFile(file, inode);
      if (this.#placed.isInPlace) this.#database = this.#open();
      return;
    }
    this.#database = this.#open();
    this.#placed = new PlacedFile(file);
    if (this.#placed.isInPlace) return;
    this.close();
    throw new SqlError(movedMessage, movedCode);
  }

  #open(): Libsql.Database {
    const database = openFile(this.#file);
    try {
      for (const pragma of [
        `busy_timeout = ${busyMs}`,
        "journal_mode = wal",
        // A commit returns once it is on the disk.
        "synchronous = full",
        `cache_size = -${this.#cacheKibibytes}`,
        "foreign_keys = on",
      ]) {
        database.pragma(pragma);
      }
      return database;
    } catch (error) {
      database.close();
      throw error;
    }
  }

  #requireInPlace(): void {
    if (!this.#placed.isInPlace) throw new SqlError(movedMessage, movedCode);
  }

  get #opened(): Libsql.Database {
    if (this.#database === undefined) {
      if (!this.#placed.isKnown) this.#placed = new PlacedFile(this.#file);
      // Opening a file that was removed would create an empty one.
      this.#requireInPlace();
      this.#database = this.#open();
    }
    return this.#database;
  }

  get isInTransaction(): boolean {
    return this.#database?.inTransaction ?? false;
  }

  /** Runs statements in one transaction, completely or not at all. Returns the rows of each statement. */
  batch(statements: readonly SqlStatement[], mode: BatchMode): readonly (readonly SqlRow[])[] {
    if (mode === "write") this.#requireInPlace();
    this.run({ sql: mode === "write" ? "BEGIN IMMEDIATE" : "BEGIN", args: [] });
    let index: number | undefined;
    let isCommitting = false;
    try {
      const results = statements.map((statement, i) => {
        index = i;
        return this.run(statement);
      });
      index = undefined;
      isCommitting = true;
      this.run({ sql: "COMMIT", args: [] });
      return results;
    } catch (error) {
      if (this.isInTransaction) this.run({ sql: "ROLLBACK", args: [] });
      // The commit fails if, for example, a statement of a write is unfinished. The connection is closed, because the
      // unfinished statement would also prevent later commits.
      if (isCommitting) this.close();
      throw error instanceof SqlError ? new SqlError(error.message, error.code, index) : error;
    }
  }

  run({ sql, args }: SqlStatement): readonly SqlRow[] {
    try {
      const { statement, hasRows } = this.prepared.get(sql);
      const bound = args.map(boundValue);
      if (!hasRows) {
        statement.run(bound);
        return [];
      }
      const rows = statement.all(bound) as unknown[][];
      for (const row of rows) for (const value of row) checkInteger(value);
      return rows;
    } catch (error) {
      throw asSqlError(error);
    }
  }

  columnsOf(sql: string): readonly string[] {
    const { statement, hasRows } = this.prepared.get(sql);
    return hasRows ? statement.columns().map(({ name }) => name) : [];
  }

  #prepare(sql: string): Prepared {
    const statement = this.#opened.prepare(sql);
    const hasRows = statement.reader;
    if (hasRows) statement.raw(true);
    return { statement, hasRows };
  }

  close(): void {
    this.prepared.clear();
    this.#database?.close();
    this.#database = undefined;
  }
}

function openFile(file: string): Libsql.Database {
  try {
    return new Libsql(file);
  } catch (error) {
    throw new SqlError(error instanceof Error ? error.message : String(error), "SQLITE_CANTOPEN");
  }
}

/** Converts a value for the driver, which would otherwise bind an integer as a float. */
function boundValue(value: SqlValue | undefined): string | number | bigint | null {
  switch (typeof value) {
    case "number":
      if (Number.isSafeInteger(value)) return BigInt(value);
      // A whole number above 2^53 would be stored as an integer that can't be returned.
      if (Number.isInteger(value) || !Number.isFinite(value)) throw new RangeError(`${value} is no value of SQL`);
      return value;
    case "boolean":
      return value ? 1n : 0n;
    default:
      return value ?? null;
  }
}

function checkInteger(value: unknown): void {
  if (typeof value !== "number" || Number.isSafeInteger(value) || !Number.isInteger(value)) return;
  throw new RangeError(`${value} is no safe integer`);
}

function asSqlError(error: unknown): unknown {
  if (!(error instanceof Error) || !("code" in error)) return error;
  const { code, message } = error;
  return typeof code === "string" && code.startsWith("SQLITE_") ? new SqlError(message, code) : error;
}

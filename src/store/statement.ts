import type { InValue } from "@libsql/client/http";
import { fillPlaceholders, getTableColumns, type Placeholder, type SQL, sql, type Table } from "drizzle-orm";
import { drizzle } from "drizzle-orm/sqlite-proxy";

/** A row as it comes from the database: values in the order of the statement's columns. */
export type Row = ArrayLike<unknown>;

export interface Statement {
  readonly sql: string;
  readonly args: InValue[];
}

/** A statement that changes something. */
export interface Write extends Statement {
  readonly kind: "write";
}

/** A statement that reads, with what turns its rows into values. */
export interface Read<T> extends Statement {
  readonly kind: "read";
  decode(rows: readonly Row[]): T;
}

/** Statements are compiled by this and run elsewhere, in batches. */
const compiler = drizzle(() => Promise.reject(new Error("this connection only compiles statements")));
export type Compiler = typeof compiler;

/** Stands for a value that is given when the statement is used. Written into SQL as it is: a boolean as 0 or 1. */
export const param = (name: string): SQL => sql`${sql.placeholder(name)}`;

/** A placeholder for each of a table's columns, by its name in TypeScript. */
export function everyColumn<T extends Table>(table: T): Record<keyof T["_"]["columns"], Placeholder> {
  const placeholders = {} as Record<keyof T["_"]["columns"], Placeholder>;
  for (const name of Object.keys(getTableColumns(table)) as (keyof T["_"]["columns"] & string)[]) {
    placeholders[name] = sql.placeholder(name);
  }
  return placeholders;
}

interface Prepared {
  getQuery(): { readonly sql: string; readonly params: unknown[] };
  mapResult(rows: unknown, isFromBatch?: boolean): unknown;
}
interface Selecting<T> {
  readonly _: { readonly result: T[] };
  prepare(): Prepared;
}
interface Changing {
  toSQL(): { readonly sql: string; readonly params: unknown[] };
}

// Building a statement costs more than running it: each is compiled once, when it is first used.
function lazy<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

/** A select that gives all its rows. */
export function readAll<Values extends Record<string, unknown>, T>(
  build: (db: Compiler) => Selecting<T>,
): (values: Values) => Read<T[]> {
  const compiled = lazy(() => {
    const prepared = build(compiler).prepare();
    return { prepared, query: prepared.getQuery() };
  });
  return (values) => {
    const { prepared, query } = compiled();
    return {
      kind: "read",
      sql: query.sql,
      args: fillPlaceholders(query.params, values) as InValue[],
      decode: (rows) => prepared.mapResult(rows) as T[],
    };
  };
}

/** A select that gives its first row, if any. */
export function readFirst<Values extends Record<string, unknown>, T>(
  build: (db: Compiler) => Selecting<T>,
): (values: Values) => Read<T | undefined> {
  const all = readAll<Values, T>(build);
  return (values) => {
    const read = all(values);
    return { ...read, decode: (rows) => read.decode(rows)[0] };
  };
}

/** A statement that writes. */
export function write<Values extends Record<string, unknown>>(
  build: (db: Compiler) => Changing,
): (values: Values) => Write {
  const compiled = lazy(() => build(compiler).toSQL());
  return (values) => {
    const { sql: text, params } = compiled();
    return { kind: "write", sql: text, args: fillPlaceholders(params, values) as InValue[] };
  };
}

/** Named reads, and what they find. */
export type Reads = Readonly<Record<string, Read<unknown>>>;
export type Found<R extends Reads> = { readonly [Name in keyof R]: R[Name] extends Read<infer T> ? T : never };

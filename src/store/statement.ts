import {
  and,
  Column,
  type DriverValueDecoder,
  getTableColumns,
  is,
  Param,
  Placeholder,
  SQL,
  type SQLWrapper,
  sql,
  type Table,
} from "drizzle-orm";
import type { SQLiteTable, SQLiteUpdateSetSource } from "drizzle-orm/sqlite-core";
import { drizzle } from "drizzle-orm/sqlite-proxy";
import { aloneOf, insertOf, numbered, withWanted } from "./multi-row.ts";

// Statements are built with Drizzle's query builder. Drizzle's own `drizzle()` would repeat some work each time that a
// statement is used. This file does that work once, at the first use: `.prepare()` and `.toSQL()` in `readAll`,
// `lookUp`, `write` and so on, `fillPlaceholders` in `argsOf`, and `mapResult` in `rowDecoder`. `database.ts` executes
// statements in batches. Decision 0011 says what this saves.

/** Values in the order of the statement's columns. */
export type Row = ArrayLike<unknown>;

export type SqlValue = string | number | boolean | null;

export interface SqlText {
  readonly sql: string;
  readonly args: SqlValue[];
}

/** The SQL text doesn't depend on the number of rows, so that a database can cache the compiled statement. */
export interface Statement extends SqlText {
  /**
   * The same statement for a server that compiles each request. Its text depends on the number of rows, which makes it
   * cheaper to compile.
   */
  readonly listed?: () => SqlText;
  readonly multiRow?: MultiRow;
}

/** Joins statements that differ only in their values. */
export interface MultiRow {
  joined(rows: readonly (readonly SqlValue[])[]): Omit<Statement, "multiRow">;
}

export interface Write extends Statement {
  readonly kind: "write";
}

export interface Read<T> extends Statement {
  readonly kind: "read";
  decode(rows: readonly Row[]): T;
}

const compiler = drizzle(() => Promise.reject(new Error("this connection only compiles statements")));
export type Compiler = typeof compiler;

/** A placeholder for a value. If it is compared with a column, Drizzle encodes the value as the column requires. */
export const given = sql.placeholder;

/** A placeholder whose value isn't encoded by a column. A boolean becomes 0 or 1. */
export const unencoded = (name: string): SQL => sql`${given(name)}`;

/** Selects an integer that may exceed 2^53 as text, because the libSQL client rejects such numbers. */
export const asText = (value: SQLWrapper): SQL => sql`cast(${value} as text)`;

export function everyColumn<T extends Table>(table: T): Record<keyof T["_"]["columns"], Placeholder> {
  const placeholders = {} as Record<keyof T["_"]["columns"], Placeholder>;
  for (const name of Object.keys(getTableColumns(table)) as (keyof T["_"]["columns"] & string)[]) {
    placeholders[name] = given(name);
  }
  return placeholders;
}

/** For `on conflict`: sets the columns to the values of the rejected insert. */
export const newValuesOf = (columns: Readonly<Record<string, Column>>): Readonly<Record<string, SQL>> =>
  Object.fromEntries(Object.entries(columns).map(([name, column]) => [name, sql.raw(`excluded.${column.name}`)]));

/** For `insert … select`: a row with a placeholder for each column, inserted only if the condition is true. */
export const rowWhere = (table: Table, condition: SQL | undefined): SQL =>
  sql`select ${sql.join(Object.keys(getTableColumns(table)).map(unencoded), sql`, `)} where ${condition}`;

type Values = Readonly<Record<string, unknown>>;

/** Does the work of Drizzle's `fillPlaceholders` once instead of at each use. */
function argsOf(params: readonly unknown[]): (values: Values) => SqlValue[] {
  const slots = params.map((param): ((values: Values) => unknown) => {
    if (is(param, Placeholder)) return (values) => argumentOf(values, param.name);
    if (is(param, Param) && is(param.value, Placeholder)) {
      const { encoder, value } = param;
      return (values) => encoder.mapToDriverValue(argumentOf(values, value.name));
    }
    return () => param;
  });
  return (values) => slots.map((slot) => slot(values) as SqlValue);
}

function argumentOf(values: Values, name: string): unknown {
  const value = values[name];
  if (value === undefined && !(name in values)) throw new Error(`no value for the placeholder ${name}`);
  return value;
}

interface Prepared {
  getQuery(): { readonly sql: string; readonly params: unknown[] };
  /** Properties that Drizzle's type doesn't declare. */
  readonly fields?: readonly SelectedField[] | undefined;
  mapResult(rows: unknown, isFromBatch?: boolean): unknown;
}
export interface Selecting<T> {
  readonly _: { readonly result: T[] };
  prepare(): Prepared;
}
/** The type of a row that a select returns. */
export type RowOf<Select extends (db: Compiler, ...rest: never) => Selecting<unknown>> =
  ReturnType<Select>["_"]["result"][number];
interface Changing {
  toSQL(): { readonly sql: string; readonly params: unknown[] };
}

interface SelectedField {
  readonly path: readonly string[];
  readonly field: unknown;
}

/**
 * Does the work of Drizzle's `mapResult` once instead of for each value. Nested rows are still decoded by `mapResult`.
 */
function rowDecoder<T>(prepared: Prepared, firstColumn = 0): (rows: readonly Row[]) => T[] {
  const fields = prepared.fields ?? [];
  if (fields.length === 0 || fields.some(({ path }) => path.length !== 1)) {
    return (rows) => prepared.mapResult(rows.map((row) => Array.prototype.slice.call(row, firstColumn))) as T[];
  }
  const columns = fields.map(({ path: [name = ""], field }, i) => ({
    name,
    index: firstColumn + i,
    decoder: decoderOf(field),
  }));
  return (rows) =>
    rows.map((row) => {
      const result: Record<string, unknown> = {};
      for (const { name, index, decoder } of columns) {
        const value = row[index];
        result[name] = value === null ? null : decoder.mapFromDriverValue(value);
      }
      return result as T;
    });
}

function decoderOf(field: unknown): DriverValueDecoder<unknown, unknown> {
  if (is(field, Column)) return field;
  if (is(field, SQL.Aliased)) return decoderOf(field.sql);
  if (is(field, SQL)) return Reflect.get(field, "decoder");
  throw new Error("a selected field has no decoder");
}

// Building a statement costs more than running it, so each is built once, on first use.
function lazy<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

function compiledRead<T>(build: (db: Compiler) => Selecting<T>) {
  const prepared = build(compiler).prepare();
  const { sql: text, params } = prepared.getQuery();
  // An insert with `returning` has the same type, but isn't a read.
  if (!/^(?:select|with) /.test(text)) throw new Error(`not a read: ${text}`);
  return { text, prepared, args: argsOf(params), decode: rowDecoder<T>(prepared) };
}

export function readAll<Values extends Record<string, unknown>, T>(
  build: (db: Compiler) => Selecting<T>,
): (values: Values) => Read<T[]> {
  const compiled = lazy(() => compiledRead(build));
  return (values) => {
    const { text, args, decode } = compiled();
    return { kind: "read", sql: text, args: args(values), decode };
  };
}

/**
 * Returns all rows in one JSON text, in no defined order. For the server, building the JSON costs less than returning
 * many separate values.
 */
export function readPacked<Values extends Record<string, unknown>, T>(
  build: (db: Compiler) => Selecting<T>,
): (values: Values) => Read<T[]> {
  const compiled = lazy(() => {
    const { prepared, text, ...read } = compiledRead(build);
    const columns = (prepared.fields ?? []).map((_, i) => `c${i}`).join(", ");
    const packed = `with packed (${columns}) as (${text}) select json_group_array(json_array(${columns})) from packed`;
    return { ...read, text: packed };
  });
  return (values) => {
    const { text, args, decode } = compiled();
    return { kind: "read", sql: text, args: args(values), decode: ([row]) => decode(JSON.parse(String(row?.[0]))) };
  };
}

export const firstOf = <T>(read: Read<T[]>): Read<T | undefined> => ({
  ...read,
  decode: (rows) => read.decode(rows)[0],
});

export function readFirst<Values extends Record<string, unknown>, T>(
  build: (db: Compiler) => Selecting<T>,
): (values: Values) => Read<T | undefined> {
  const all = readAll<Values, T>(build);
  return (values) => firstOf(all(values));
}

export function readCount<Values extends Record<string, unknown>>(
  build: (db: Compiler) => Selecting<{ readonly n: number }>,
): (values: Values) => Read<number> {
  const all = readAll<Values, { readonly n: number }>(build);
  return (values) => {
    const read = all(values);
    return { ...read, decode: (rows) => read.decode(rows)[0]?.n ?? 0 };
  };
}

/** A table of lookup keys, so that one statement serves many calls. */
const wanted = sql.raw("wanted");
type Wanted<Key extends string> = Readonly<Record<Key, SQL>>;

/**
 * Builds a lookup: a select from `wanted`, the table of the lookup's keys. Several lookups of one kind can be joined to
 * one statement. The first column of each row is then the number of the lookup to which the row belongs.
 */
export function lookUp<Key extends string, T>(
  keys: readonly Key[],
  build: (db: Compiler, wanted: SQL, key: Wanted<Key>) => Selecting<T>,
): (values: Readonly<Record<Key, SqlValue>>) => Read<T[]> {
  const compiled = lazy(() => {
    const columns = keys.map((key) => [key, sql.raw(`wanted."${key}"`)] as const);
    const prepared = build(compiler, wanted, Object.fromEntries(columns) as Wanted<Key>).prepare();
    const { sql: text, params } = prepared.getQuery();
    if (params.length > 0 || !text.startsWith("select ")) throw new Error(`not a look-up by its keys alone: ${text}`);
    const found = `select wanted.n, ${text.slice("select ".length)}`;
    const multiRow = numbered(withWanted(["n", ...keys], found));
    return { multiRow, alone: aloneOf(multiRow, keys), decode: rowDecoder<T>(prepared, 1) };
  });
  return (values) => {
    const { multiRow, alone, decode } = compiled();
    return {
      kind: "read",
      sql: alone,
      args: keys.map((key) => values[key]),
      multiRow,
      decode,
    };
  };
}

export function lookUpFirst<Key extends string, T>(
  keys: readonly Key[],
  build: (db: Compiler, wanted: SQL, key: Wanted<Key>) => Selecting<T>,
): (values: Readonly<Record<Key, SqlValue>>) => Read<T | undefined> {
  const all = lookUp<Key, T>(keys, build);
  return (values) => firstOf(all(values));
}

/** Joins several lookups of one kind to one statement. */
export function lookUpEach<T>(reads: readonly [Read<T>, ...Read<T>[]]): Read<readonly T[]> {
  const [{ multiRow }] = reads;
  if (multiRow === undefined) throw new Error("not look-ups by their keys");
  return {
    kind: "read",
    ...multiRow.joined(reads.map(({ args }) => args)),
    decode(rows) {
      const found = Map.groupBy(rows, (row) => Number(row[0]));
      return reads.map((read, n) => read.decode(found.get(n) ?? []));
    },
  };
}

/** Like `lookUpEach`. Returns undefined without lookups. */
export function lookUpAll<T>([first, ...others]: readonly Read<T>[]): Read<readonly T[]> | undefined {
  return first && lookUpEach([first, ...others]);
}

const insertForm = /^(insert into .*?) values \(([?, ]+)\)([^?]*)$/s;

/** Builds an insert of one row. Several inserts of one kind can be joined to one statement. */
export function insert<Values extends Record<string, unknown>>(
  build: (db: Compiler) => Changing,
): (values: Values) => Write {
  const compiled = lazy(() => {
    const { sql: text, params } = build(compiler).toSQL();
    const [, into = "", row = "", onConflict = ""] = insertForm.exec(text) ?? [];
    if (row === "") throw new Error(`not an insert of one row: ${text}`);
    return { text, args: argsOf(params), multiRow: insertOf(into, row.split(",").length, onConflict) };
  });
  return (values) => {
    const { text, args, multiRow } = compiled();
    return { kind: "write", sql: text, args: args(values), multiRow };
  };
}

/** Builds a change with values from the table `wanted`. Several changes of one kind can be joined to one statement. */
export function change<Name extends string>(
  names: readonly Name[],
  build: (db: Compiler, wanted: SQL, value: Wanted<Name>) => Changing,
): (values: Readonly<Record<Name, SqlValue>>) => Write {
  const compiled = lazy(() => {
    const columns = names.map((name) => [name, sql.raw(`wanted."${name}"`)] as const);
    const { sql: text, params } = build(compiler, wanted, Object.fromEntries(columns) as Wanted<Name>).toSQL();
    if (params.length > 0) throw new Error(`not a change by its values alone: ${text}`);
    const multiRow = withWanted(names, text);
    return { multiRow, alone: aloneOf(multiRow, names) };
  });
  return (values) => {
    const { multiRow, alone } = compiled();
    return { kind: "write", sql: alone, args: names.map((name) => values[name]), multiRow };
  };
}

/**
 * Builds an update that sets `columns` of the rows with this `key`. If several joined updates have the same key, one of
 * them is applied, in no defined order.
 */
export const update = <Of extends SQLiteTable, Name extends keyof Of["$inferSelect"] & string>(
  table: Of,
  key: readonly Name[],
  columns: readonly Name[],
): ((values: Readonly<Pick<Of["$inferSelect"], Name>>) => Write) =>
  change<Name>([...key, ...columns], (db, wanted, value) =>
    db
      .update(table)
      .set(Object.fromEntries(columns.map((name) => [name, value[name]])) as SQLiteUpdateSetSource<Of>)
      .from(wanted)
      .where(and(...key.map((name) => sql`${getTableColumns(table)[name]} = ${value[name]}`))),
  );

export function write<Values extends Record<string, unknown>>(
  build: (db: Compiler) => Changing,
): (values: Values) => Write {
  const compiled = lazy(() => {
    const { sql: text, params } = build(compiler).toSQL();
    return { text, args: argsOf(params) };
  });
  return (values) => {
    const { text, args } = compiled();
    return { kind: "write", sql: text, args: args(values) };
  };
}

export type Reads = Readonly<Record<string, Read<unknown>>>;
export type Found<R extends Reads> = {
  readonly [Name in keyof R]: R[Name] extends Read<infer T> | undefined ? T : never;
};

/**
 * Restricts a query to one program's rows of the aliased table, or doesn't restrict it. `column` contains the program's
 * id.
 */
export type Scope = (alias: string, column?: "program_id" | "id") => string;

/**
 * Queries by the fault that they find. Each returns the faulty rows with their ids. Each is one statement, so it reads
 * one snapshot of a live database, and the database computes the sums.
 */
export type Invariants = Readonly<Record<string, (of: Scope) => string>>;

export type Row = Readonly<Record<string, unknown>>;

export interface Broken {
  readonly broken: string;
  readonly row: Row;
}

export type Read = (query: string) => Promise<readonly unknown[]>;

/**
 * A rule that SQL can't express. It gets its rows in pages of JSON, so that its memory use is limited by the page size.
 */
export interface Recount<T> {
  readonly finds: readonly string[];
  page(of: Scope, last: T | undefined): string;
  check(page: readonly T[], read: Read): AsyncIterable<Broken> | Iterable<Broken>;
}

export const isBehind = (alias: string, last: { readonly id: number } | undefined): string =>
  last === undefined ? "1" : `${alias}.id > ${last.id}`;

/** True if a link has the code. Also compares the key of the code, which has an index. */
export const isLinkOf = (alias: string, code: string): string =>
  `${alias}.code_key = lower(${code}) and ${alias}.code = ${code}`;

export const jsonOf = (alias: string, columns: readonly string[]): string =>
  `json_object(${columns.map((column) => `'${column}', ${alias}.${column}`).join(", ")})`;

export const field = (column: string, path: string): string =>
  `iif(json_valid(${column}), json_extract(${column}, '$.${path}'), null)`;

/**
 * A field of JSON as a typed column, for a list that is joined to a table. SQLite can index a list only by typed
 * columns.
 */
export const typedField = (column: string, path: string, type: "integer" | "text"): string =>
  `cast(${field(column, path)} as ${type})`;

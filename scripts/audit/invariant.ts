/** Keeps a query to the rows of one program, for the table of that alias; or to all rows. `column` names the program. */
export type Scope = (alias: string, column?: "program_id" | "id") => string;

/**
 * Queries by what they find: rows that should not be there, each with the ids that tell it apart. One statement each, so
 * that it sees one moment of a database that others write to, and all that is added up is added up in the database.
 */
export type Invariants = Readonly<Record<string, (of: Scope) => string>>;

export type Row = Readonly<Record<string, unknown>>;

/** A row that should not be there, and the rule that it breaks. */
export interface Broken {
  readonly broken: string;
  readonly row: Row;
}

/** Runs a query that returns one column of JSON, and parses it. */
export type Read = (query: string) => Promise<readonly unknown[]>;

/** Rules that SQL can't state: the rows are read a page at a time, as JSON, so that memory is bounded by the page. */
export interface Recount<T> {
  /** The rules. */
  readonly finds: readonly string[];
  /** The rows behind the last one of the page before, in the order of their key. */
  page(of: Scope, last: T | undefined): string;
  check(page: readonly T[], read: Read): AsyncIterable<Broken> | Iterable<Broken>;
}

/** Keeps a query to the rows behind one. */
export const isBehind = (alias: string, last: { readonly id: number } | undefined): string =>
  last === undefined ? "1" : `${alias}.id > ${last.id}`;

/** A JSON object of a row's columns. */
export const jsonOf = (alias: string, columns: readonly string[]): string =>
  `json_object(${columns.map((column) => `'${column}', ${alias}.${column}`).join(", ")})`;

/** A field of a column of JSON; null where the text is no JSON, which is a rule of its own. */
export const field = (column: string, path: string): string =>
  `iif(json_valid(${column}), json_extract(${column}, '$.${path}'), null)`;

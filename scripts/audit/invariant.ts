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

/** Rules that SQL can't state: the rows are read a page at a time and decided again by the domain's own functions. */
export interface Recount {
  /** The rules. */
  readonly finds: readonly string[];
  run(read: Read, of: Scope): AsyncIterable<Broken>;
}

const rowsAtOnce = 1_000;

/**
 * All records of a query, a page at a time; memory is bounded by the page. `page` selects JSON with an `id`, of the rows
 * whose id is above `after`, in the order of ids.
 */
export async function* pages<T extends { readonly id: number }>(
  read: Read,
  page: (after: number) => string,
): AsyncIterable<readonly T[]> {
  for (let after = Number.MIN_SAFE_INTEGER; ; ) {
    const records = (await read(`${page(after)} limit ${rowsAtOnce}`)) as readonly T[];
    const last = records.at(-1);
    if (last !== undefined) yield records;
    if (last === undefined || records.length < rowsAtOnce) return;
    after = last.id;
  }
}

/** A JSON object of a row's columns. */
export const jsonOf = (alias: string, columns: readonly string[]): string =>
  `json_object(${columns.map((column) => `'${column}', ${alias}.${column}`).join(", ")})`;

/** A field of a column of JSON; null where the text is no JSON, which is a rule of its own. */
export const field = (column: string, path: string): string =>
  `iif(json_valid(${column}), json_extract(${column}, '$.${path}'), null)`;

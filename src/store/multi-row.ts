import type { MultiRow, SqlText, SqlValue } from "./statement.ts";

type Rows = readonly (readonly SqlValue[])[];

/**
 * Builds a VALUES list. Integers and nulls are written into the SQL text, because bound values cost the server more.
 */
function listed(rows: Rows): { readonly text: string; readonly args: SqlValue[] } {
  const args: SqlValue[] = [];
  const cell = (value: SqlValue): string => {
    if (value === null) return "null";
    if (typeof value === "boolean" || Number.isSafeInteger(value)) return String(Number(value));
    args.push(value);
    return "?";
  };
  return { text: `values ${rows.map((row) => `(${row.map(cell).join(", ")})`).join(", ")}`, args };
}

/** For more rows than this, JSON is cheaper for the server than a VALUES list. */
const listedAtMost = 8;

const page = "page as materialized (select value as v from json_each(?))";
const unfolded = (columns: number) =>
  `select ${Array.from({ length: columns }, (_, i) => `v ->> ${i}`).join(", ")} from page`;

/** JSON escapes a lone surrogate, but SQLite would store it unchanged. */
const isIllFormed = /\\ud[89a-f]/;

function jsonOf(rows: Rows): string {
  const json = JSON.stringify(rows);
  if (!isIllFormed.test(json)) return json;
  return JSON.stringify(rows, (_, value: unknown) => (typeof value === "string" ? value.toWellFormed() : value));
}

/**
 * `many` reads the rows from `page`, `few` from a VALUES list. The JSON in `args` is built only when it is read,
 * because servers don't read it for few rows.
 */
const multiRowOf = (few: (values: string) => string, many: string): MultiRow => ({
  joined: (rows) => ({
    sql: many,
    get args() {
      return [jsonOf(rows)];
    },
    ...(rows.length <= listedAtMost && { listed: () => fewRows(few, rows) }),
  }),
});

function fewRows(few: (values: string) => string, rows: Rows): SqlText {
  const { text, args } = listed(rows);
  return { sql: few(text), args };
}

/** Returns an insert of all rows of its only parameter, a JSON array of arrays. `columns` is the number of columns. */
export const insertUnfolded = (into: string, columns: number, onConflict = ""): string =>
  `with ${page} ${into} ${unfolded(columns)} where true${onConflict}`;

export const insertOf = (into: string, columns: number, onConflict: string): MultiRow =>
  multiRowOf((values) => `${into} ${values}${onConflict}`, insertUnfolded(into, columns, onConflict));

/** Adds a table `wanted` of the rows to the statement `text`. */
export function withWanted(names: readonly string[], text: string): MultiRow {
  const wanted = `wanted (${names.map((name) => `"${name}"`).join(", ")}) as`;
  return multiRowOf(
    (values) => `with ${wanted} (${values}) ${text}`,
    `with ${page}, ${wanted} (${unfolded(names.length)}) ${text}`,
  );
}

/** Adds a first column with the number of the row. */
export const numbered = ({ joined }: MultiRow): MultiRow => ({
  joined: (rows) => joined(rows.map((row, n) => [n, ...row])),
});

/** Returns the SQL text for a single row, with a parameter for each name. */
export function aloneOf({ joined }: MultiRow, names: readonly string[]): string {
  const { sql, listed } = joined([names.map(() => "")]);
  return listed?.().sql ?? sql;
}

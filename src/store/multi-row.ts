import type { MultiRow, SqlText, SqlValue } from "./statement.ts";

type Rows = readonly (readonly SqlValue[])[];

/** A VALUES list. Integers and nulls are written into the text, because each bound value costs a server more. */
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

/** Unfolding rows from JSON costs a server as much as a list of this many rows. */
const listedAtMost = 8;

const page = "page as materialized (select value as v from json_each(?))";
const unfolded = (columns: number) =>
  `select ${Array.from({ length: columns }, (_, i) => `v ->> ${i}`).join(", ")} from page`;

/** JSON escapes a lone surrogate, which SQLite would store unchanged. */
const isIllFormed = /\\ud[89a-f]/;

function jsonOf(rows: Rows): string {
  const json = JSON.stringify(rows);
  if (!isIllFormed.test(json)) return json;
  return JSON.stringify(rows, (_, value: unknown) => (typeof value === "string" ? value.toWellFormed() : value));
}

/** `many` has the rows in `page`. For few rows a server doesn't read `args`, so their JSON isn't built. */
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

/** Inserts the rows of its one value, a JSON array of arrays. `columns`: their number. */
export const insertUnfolded = (into: string, columns: number, onConflict = ""): string =>
  `with ${page} ${into} ${unfolded(columns)} where true${onConflict}`;

export const insertOf = (into: string, columns: number, onConflict: string): MultiRow =>
  multiRowOf((values) => `${into} ${values}${onConflict}`, insertUnfolded(into, columns, onConflict));

/** `wanted` is a table of the rows, which `text` refers to. */
export function withWanted(names: readonly string[], text: string): MultiRow {
  const wanted = `wanted (${names.map((name) => `"${name}"`).join(", ")}) as`;
  return multiRowOf(
    (values) => `with ${wanted} (${values}) ${text}`,
    `with ${page}, ${wanted} (${unfolded(names.length)}) ${text}`,
  );
}

/** The first column is the number of the row. */
export const numbered = ({ joined }: MultiRow): MultiRow => ({
  joined: (rows) => joined(rows.map((row, n) => [n, ...row])),
});

/** The text for one row, with a value for each name. */
export function aloneOf({ joined }: MultiRow, names: readonly string[]): string {
  const { sql, listed } = joined([names.map(() => "")]);
  return listed?.().sql ?? sql;
}

import type { MultiRow, SqlValue } from "./statement.ts";

type Rows = readonly (readonly SqlValue[])[];

/** As a VALUES list. Integers and nulls stand in its text, since each value beside it costs the database more. */
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

/** What unfolds rows of JSON costs as much as a list of so many. */
const listedAtMost = 8;

const page = "page as materialized (select value as v from json_each(?))";
const unfolded = (columns: number) =>
  `select ${Array.from({ length: columns }, (_, i) => `v ->> ${i}`).join(", ")} from page`;

/** `columns`: how many. */
export const insertOf = (into: string, columns: number, onConflict: string): MultiRow => {
  const sql = `with ${page} ${into} ${unfolded(columns)} where true${onConflict}`;
  return {
    joined(rows) {
      if (rows.length > listedAtMost) return { sql, args: [JSON.stringify(rows)] };
      const { text, args } = listed(rows);
      return { sql: `${into} ${text}${onConflict}`, args };
    },
  };
};

/** `wanted` is a table of the rows, which `text` refers to. `isNumbered`: its first column is the number of the row. */
export const withWanted = (names: readonly string[], text: string, isNumbered = false): MultiRow => {
  const wanted = `wanted (${names.map((name) => `"${name}"`).join(", ")}) as`;
  const sql = `with ${page}, ${wanted} (${unfolded(names.length)}) ${text}`;
  return {
    joined(given) {
      const rows = isNumbered ? given.map((row, n) => [n, ...row]) : given;
      if (rows.length > listedAtMost) return { sql, args: [JSON.stringify(rows)] };
      const { text: values, args } = listed(rows);
      return { sql: `with ${wanted} (${values}) ${text}`, args };
    },
  };
};

/** The text of one, with a value for each name. */
export const aloneOf = ({ joined }: MultiRow, names: readonly string[]): string => joined([names.map(() => "")]).sql;

import type { MultiRow, SqlValue } from "./statement.ts";

/** Rows of a VALUES list. Integers and nulls stand in its text, since each value beside it costs the database more. */
function valuesOf(
  rows: readonly (readonly SqlValue[])[],
  isNumbered = false,
): { readonly text: string; readonly args: SqlValue[] } {
  const args: SqlValue[] = [];
  const cell = (value: SqlValue): string => {
    if (value === null) return "null";
    if (typeof value === "boolean" || Number.isSafeInteger(value)) return String(Number(value));
    args.push(value);
    return "?";
  };
  const text = rows.map((row, n) => `(${isNumbered ? `${n}, ` : ""}${row.map(cell).join(", ")})`).join(", ");
  return { text, args };
}

export const multiRowOf = (head: string, tail: string, isNumbered = false): MultiRow => ({
  joined(rows) {
    const { text, args } = valuesOf(rows, isNumbered);
    return { sql: `${head}${text}${tail}`, args };
  },
});

/** `wanted` is a VALUES table that `text` refers to. */
export const withWanted = (names: readonly string[], text: string, isNumbered = false): MultiRow =>
  multiRowOf(`with wanted (${names.map((name) => `"${name}"`).join(", ")}) as (values `, `) ${text}`, isNumbered);

/** The text of one, with a value for each name. */
export const aloneOf = ({ joined }: MultiRow, names: readonly string[]): string => joined([names.map(() => "")]).sql;

import type { Statement } from "#store/statement.ts";

/** Returns the values that a statement sends. A statement with `json_each(?)` sends all values as one JSON text. */
export const valuesIn = ({ sql, args }: Statement): readonly unknown[] =>
  sql.includes("json_each(?)") ? (JSON.parse(String(args[0])) as unknown[][]).flat() : args;

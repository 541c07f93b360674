import type { Statement } from "#store/statement.ts";

/** The arguments of a statement. Those of joined rows are one JSON text. */
export const valuesIn = ({ sql, args }: Statement): readonly unknown[] =>
  sql.includes("json_each(?)") ? (JSON.parse(String(args[0])) as unknown[][]).flat() : args;

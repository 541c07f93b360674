import type { Statement } from "#store/statement.ts";

/** What a statement has beside its text. Those of joined rows are one JSON text. */
export const valuesIn = ({ sql, args }: Statement): readonly unknown[] =>
  sql.includes("json_each(?)") ? (JSON.parse(String(args[0])) as unknown[][]).flat() : args;

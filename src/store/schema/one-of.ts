import { type SQL, type SQLWrapper, sql } from "drizzle-orm";

/** For a check: the column holds one of the values. */
export const oneOf = (column: SQLWrapper, values: readonly string[]): SQL =>
  sql`${column} in (${sql.raw(values.map((value) => `'${value}'`).join(", "))})`;

import type { InStatement } from "@libsql/client/http";

/** What drizzle built, for the client to run. */
export const asStatement = ({ sql, params }: { sql: string; params: unknown[] }): InStatement => ({
  sql,
  args: params as (string | number | null)[],
});

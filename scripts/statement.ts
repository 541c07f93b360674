import type { InStatement } from "@libsql/client/http";

export const asStatement = ({ sql, params }: { sql: string; params: unknown[] }): InStatement => ({
  sql,
  args: params as (string | number | null)[],
});

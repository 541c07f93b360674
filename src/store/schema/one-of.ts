import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { attributionSources } from "#domain/attribution.ts";

/** For a check: the column holds one of the values. */
export const oneOf = (column: SQLWrapper, values: readonly string[]): SQL =>
  sql`${column} in (${sql.raw(values.map((value) => `'${value}'`).join(", "))})`;

/** For a check: an attributed row has its evidence's source. */
export const sourceOf = (partnerId: SQLWrapper, source: SQLWrapper): SQL =>
  sql`case when ${partnerId} is null then ${source} is null else coalesce(${oneOf(source, attributionSources)}, 0) end`;

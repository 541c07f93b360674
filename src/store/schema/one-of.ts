import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { attributionSources } from "#domain/attribution.ts";

/** A check constraint: the column contains one of `values`. */
export const oneOf = (column: SQLWrapper, values: readonly string[]): SQL =>
  sql`${column} in (${sql.raw(values.map((value) => `'${value}'`).join(", "))})`;

/** A check constraint: an attributed row has an attribution source, and an unattributed row has none. */
export const sourceOf = (partnerId: SQLWrapper, source: SQLWrapper): SQL =>
  sql`case when ${partnerId} is null then ${source} is null else coalesce(${oneOf(source, attributionSources)}, 0) end`;

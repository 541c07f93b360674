import { sql } from "drizzle-orm";
import { check, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { Shard } from "#domain/ids.ts";

/** The ids of this database go on above the highest. */
export const idFloors = sqliteTable("id_floors", { id: integer("id").primaryKey() });

/** Which shard of which service this database is. Without a row: home of a service that has no others. */
export const shardIdentity = sqliteTable(
  "shard_identity",
  {
    number: integer("number").primaryKey().$type<Shard>(),
    installation: text("installation").notNull(),
  },
  (t) => [check("shard_identity_number", sql`${t.number} between 0 and 999`)],
);

import { sql } from "drizzle-orm";
import { check, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { Shard } from "#domain/ids.ts";

/** This database assigns only ids greater than the highest value here. */
export const idFloors = sqliteTable("id_floors", { id: integer("id").primaryKey() });

/**
 * The shard number and the service to which this database belongs. Without a row, it is the home database of a service
 * without other shards.
 */
export const shardIdentity = sqliteTable(
  "shard_identity",
  {
    number: integer("number").primaryKey().$type<Shard>(),
    installation: text("installation").notNull(),
  },
  (t) => [check("shard_identity_number", sql`${t.number} between 0 and 999`)],
);

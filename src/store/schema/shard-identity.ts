import { sql } from "drizzle-orm";
import { check, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { Shard } from "#domain/ids.ts";

/** New ids of this database are above the highest. */
export const idFloors = sqliteTable("id_floors", { id: integer("id").primaryKey() });

/** The shard and service of this database. Without a row: home of a service without other shards. */
export const shardIdentity = sqliteTable(
  "shard_identity",
  {
    number: integer("number").primaryKey().$type<Shard>(),
    installation: text("installation").notNull(),
  },
  (t) => [check("shard_identity_number", sql`${t.number} between 0 and 999`)],
);

import { gte, max, sql } from "drizzle-orm";
import type { Shard } from "#domain/ids.ts";
import { home } from "#domain/shard.ts";
import { idFloors, shardIdentity } from "./schema/shard-identity.ts";
import { readFirst } from "./statement.ts";

export interface ShardIdentity {
  readonly number: Shard;
  readonly installation: string;
}

export const readIdentity = readFirst<Record<string, never>, ShardIdentity>((db) =>
  db
    .select()
    .from(shardIdentity)
    // The table has at most one row. The condition makes SQLite use the primary key.
    .where(gte(shardIdentity.number, sql.raw(String(home)))),
);

export const highestFloor = readFirst<Record<string, never>, { id: number | null }>((db) =>
  db.select({ id: max(idFloors.id) }).from(idFloors),
);

import { sql } from "drizzle-orm";
import { check, index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { MoveId, ProgramId, Shard } from "#domain/ids.ts";
import { moveStates } from "#domain/program-place.ts";
import { flag, id, instant } from "./columns.ts";
import { oneOf } from "./one-of.ts";
import { workspaces } from "./workspaces.ts";

// Only home has rows in these tables, but for `shardIdentity` and `idFloors`.

/** Where each program is. A trigger enters those that home creates. */
export const programPlaces = sqliteTable(
  "program_places",
  {
    programId: integer("program_id").primaryKey().$type<ProgramId>(),
    workspaceId: text("workspace_id")
      .notNull()
      .references(() => workspaces.id),
    shard: integer("shard").$type<Shard>().notNull(),
    /** That placed the program on another shard. */
    operationId: text("operation_id").unique(),
    /** Of a program on another shard: decides, with its links' destinations, whose a code is. */
    websiteUrl: text("website_url"),
    isArchived: flag("is_archived").default(false),
    /** That brought it to the shard. Null: it was created there. */
    moveId: integer("move_id").$type<MoveId>(),
    createdAt: instant("created_at").notNull(),
  },
  (t) => [
    index("program_places_workspace").on(t.workspaceId, t.programId),
    index("program_places_moved").on(t.moveId).where(sql`${t.moveId} is not null`),
  ],
);

/** Codes of programs on other shards, each from before it is in use. */
export const foreignCodes = sqliteTable(
  "foreign_codes",
  {
    codeKey: text("code_key").notNull(),
    programId: integer("program_id")
      .$type<ProgramId>()
      .notNull()
      .references(() => programPlaces.programId),
    destinationUrl: text("destination_url"),
  },
  (t) => [primaryKey({ columns: [t.codeKey, t.programId] })],
);

/** A shard without a row is closed; home is open unless its row says otherwise. */
export const shards = sqliteTable("shards", {
  number: integer("number").primaryKey().$type<Shard>(),
  location: text("location"),
  isOpen: flag("is_open"),
});

/** Of programs between shards. An open one ends as done or abandoned. */
export const programMoves = sqliteTable(
  "program_moves",
  {
    id: id<MoveId>(),
    programId: integer("program_id")
      .$type<ProgramId>()
      .notNull()
      .references(() => programPlaces.programId),
    fromShard: integer("from_shard").$type<Shard>().notNull(),
    toShard: integer("to_shard").$type<Shard>().notNull(),
    state: text("state", { enum: moveStates }).notNull(),
    startedAt: instant("started_at").notNull(),
    endedAt: instant("ended_at"),
  },
  (t) => [
    uniqueIndex("program_moves_open").on(t.programId).where(sql`${t.state} = 'open'`),
    check("program_moves_state", oneOf(t.state, moveStates)),
  ],
);

/** Ranges of ids, from 1,000 on, that home gave to shards which took in a program with higher ids than their own. */
export const idRanges = sqliteTable("id_ranges", {
  range: integer("range").primaryKey(),
  shard: integer("shard").$type<Shard>().notNull(),
});

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

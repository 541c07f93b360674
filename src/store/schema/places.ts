import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { MoveId, ProgramId, Shard } from "#domain/ids.ts";
import { flag, instant } from "./columns.ts";
import { workspaces } from "./workspaces.ts";

// Only the home database has rows in these tables.

/** The shard of each program. A trigger adds a row for each program created on the home shard. */
export const programPlaces = sqliteTable(
  "program_places",
  {
    programId: integer("program_id").primaryKey().$type<ProgramId>(),
    workspaceId: text("workspace_id")
      .notNull()
      .references(() => workspaces.id),
    shard: integer("shard").$type<Shard>().notNull(),
    /** The operation that created the program on another shard. */
    operationId: text("operation_id").unique(),
    /**
     * Copied from a program on another shard. With its links' destinations, the URL decides to which program a code
     * belongs.
     */
    websiteUrl: text("website_url"),
    isArchived: flag("is_archived").default(false),
    /** The shard migration that brought the program to this shard. Null if it was created there. */
    moveId: integer("move_id").$type<MoveId>(),
    createdAt: instant("created_at").notNull(),
  },
  (t) => [
    index("program_places_workspace").on(t.workspaceId, t.programId),
    index("program_places_moved").on(t.moveId).where(sql`${t.moveId} is not null`),
  ],
);

/** Codes of programs on other shards. Each row is written before the code is in use. */
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

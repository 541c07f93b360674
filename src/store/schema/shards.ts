import { sql } from "drizzle-orm";
import { check, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { MoveId, ProgramId, Shard } from "#domain/ids.ts";
import { moveStates } from "#domain/program-place.ts";
import { flag, id, instant } from "./columns.ts";
import { oneOf } from "./one-of.ts";
import { programPlaces } from "./places.ts";

// Only the home database has rows in these tables.

/**
 * New programs are created only on open shards. A shard without a row isn't open. Home is open unless its row says
 * otherwise.
 */
export const shards = sqliteTable("shards", {
  number: integer("number").primaryKey().$type<Shard>(),
  location: text("location"),
  isOpen: flag("is_open"),
});

/** Shard migrations of programs. An open migration ends as done or abandoned. */
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

/**
 * Ranges of ids, numbered from 1,000, that the home shard assigned to other shards. A shard gets a range when it
 * receives a program whose ids are higher than the shard's own ids.
 */
export const idRanges = sqliteTable("id_ranges", {
  range: integer("range").primaryKey(),
  shard: integer("shard").$type<Shard>().notNull(),
});

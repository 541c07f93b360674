import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { eventTypes } from "#domain/event-type.ts";
import type { ProgramId } from "#domain/ids.ts";
import { flag, instant } from "./columns.ts";

/**
 * The feed of a book: triggers write it in the commit that it tells of, give its number and instant, and forget what is
 * older than 30 days. `before` and `after` are JSON arrays of the subject's noted fields. See triggers/events.sql.
 */
export const events = sqliteTable(
  "events",
  {
    programId: integer("program_id").$type<ProgramId>().notNull(),
    isTest: flag("is_test"),
    /** Without gaps, except at `feed.restarted`. */
    seq: integer("seq").notNull().default(0),
    /** Of the commit, and never before the event ahead of it. */
    at: instant("at").notNull().default(0),
    /** Of the writer, and the number of the commit among those of its epoch. */
    epoch: integer("epoch").notNull().default(0),
    batch: integer("batch").notNull().default(0),
    type: text("type", { enum: eventTypes }).notNull(),
    /** Id of what the type begins with; of the customer for `lead.moved`, of the line for `payout.line_failed`. */
    subject: integer("subject").notNull(),
    before: text("before"),
    after: text("after"),
  },
  (t) => [primaryKey({ columns: [t.programId, t.isTest, t.seq] })],
);

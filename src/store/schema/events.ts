import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { eventTypes } from "#domain/event-type.ts";
import type { ProgramId } from "#domain/ids.ts";
import { flag, instant } from "./columns.ts";

/**
 * The feed of a book: triggers write each event in the commit of its cause, set its number and instant, and delete
 * events older than 30 days. `before` and `after` are JSON arrays of the subject's recorded fields. See
 * triggers/events.sql.
 */
export const events = sqliteTable(
  "events",
  {
    programId: integer("program_id").$type<ProgramId>().notNull(),
    isTest: flag("is_test"),
    /** Without gaps, except at `feed.restarted`. */
    seq: integer("seq").notNull().default(0),
    /** The commit's instant, but never before the previous event's. */
    at: instant("at").notNull().default(0),
    /** The writer's epoch, and the number of the commit within it. */
    epoch: integer("epoch").notNull().default(0),
    batch: integer("batch").notNull().default(0),
    type: text("type", { enum: eventTypes }).notNull(),
    /**
     * Id of the object in the type's first part; of the customer for `lead.moved`, of the line for
     * `payout.line_failed`.
     */
    subject: integer("subject").notNull(),
    before: text("before"),
    after: text("after"),
  },
  (t) => [primaryKey({ columns: [t.programId, t.isTest, t.seq] })],
);

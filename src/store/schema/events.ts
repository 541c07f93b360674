import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { eventTypes } from "#domain/event-type.ts";
import type { ProgramId } from "#domain/ids.ts";
import { flag, instant } from "./columns.ts";

/**
 * The event feed of a book. A trigger writes each event in the commit of the change that caused it, and sets its
 * sequence number and instant. Triggers also delete events older than 30 days. `before` and `after` are JSON arrays of
 * the subject's recorded fields. See triggers/events.sql.
 */
export const events = sqliteTable(
  "events",
  {
    programId: integer("program_id").$type<ProgramId>().notNull(),
    isTest: flag("is_test"),
    /** Sequence numbers have no gaps, except at a `feed.restarted` event. */
    seq: integer("seq").notNull().default(0),
    /** Instant of the commit, or of the previous event if that is later. */
    at: instant("at").notNull().default(0),
    /** The epoch of the writer, and the number of the commit within the epoch. */
    epoch: integer("epoch").notNull().default(0),
    batch: integer("batch").notNull().default(0),
    type: text("type", { enum: eventTypes }).notNull(),
    /**
     * Id of the object that the first part of `type` names, except for these types: `lead.moved` has the customer's id,
     * `payout.line_settled` and `payout.line_failed` the line's, `partner.applied` the application's, and
     * `partner.claim_opened` the claim's. 0 for `feed.restarted`.
     */
    subject: integer("subject").notNull(),
    before: text("before"),
    after: text("after"),
  },
  (t) => [primaryKey({ columns: [t.programId, t.isTest, t.seq] })],
);

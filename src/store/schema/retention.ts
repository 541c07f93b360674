import { foreignKey, index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { ClickRowId, LinkId, PartnerId, ProgramId } from "#domain/ids.ts";
import { flag, instant } from "./columns.ts";
import { programId, programs } from "./programs.ts";

/**
 * The number of a day's clicks that are counted in `daily_counts` but no longer in `clicks`. A trigger counts each
 * removed click.
 */
export const removedClicks = sqliteTable(
  "removed_clicks",
  {
    programId: integer("program_id").$type<ProgramId>().notNull(),
    isTest: flag("is_test"),
    day: text("day").notNull(),
    /** 0 means no partner. */
    partnerId: integer("partner_id").$type<PartnerId>().notNull(),
    clicks: integer("clicks").notNull(),
    uniqueClicks: integer("unique_clicks").notNull(),
    uncountedClicks: integer("uncounted_clicks").notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.programId, t.isTest, t.day, t.partnerId] }),
    foreignKey({ columns: [t.programId], foreignColumns: [programs.id] }),
  ],
);

/**
 * The instant of a program's next removal of old data, and how far the removal has got. A trigger creates a row for
 * each program.
 */
export const programRetention = sqliteTable(
  "program_retention",
  {
    programId: programId().primaryKey(),
    dueAt: instant("due_at").notNull(),
    // The last live click that the removal reached, by instant and row id.
    clickAt: instant("click_at").notNull().default(0),
    clickRow: integer("click_row").$type<ClickRowId>().notNull().default(0),
    /** Number of clicks recorded so late that they may lie before `clickAt`. */
    lateClicks: integer("late_clicks").notNull().default(0),
    // The last row of `click_event_ids` that the removal reached.
    eventIsTest: flag("event_is_test").default(false),
    eventId: text("event_id").notNull().default(""),
    eventLinkId: integer("event_link_id").$type<LinkId>().notNull().default(0),
  },
  (t) => [index("program_retention_due").on(t.dueAt)],
);

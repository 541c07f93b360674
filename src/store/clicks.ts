import { and, eq, getTableColumns, sql } from "drizzle-orm";
import { hourMs } from "../domain/calendar.ts";
import { clickEventIds, clicks } from "./schema/clicks.ts";
import { everyColumn, insert, lookUpFirst } from "./statement.ts";

export type ClickRow = typeof clicks.$inferSelect;

/** For a click that was kept by a release which knew fewer columns: null in all that may be null. */
export const emptyClick: Partial<ClickRow> = Object.fromEntries(
  Object.entries(getTableColumns(clicks)).flatMap(([name, { notNull }]) => (notNull ? [] : [[name, null]])),
);

/** An event id stands for the same click for this long. */
export const eventWindowMs = 24 * hourMs;

/** Adds a click. The same click, or another of an event already recorded on its link, adds nothing. */
export const insertClick = insert<ClickRow>((db) =>
  db.insert(clicks).values(everyColumn(clicks)).onConflictDoNothing({ target: clicks.clickId }),
);

/** Which click an event on a link is: the one given, unless the event was recorded in the 24 hours before. Stands before the click. */
export const recordClickEvent = insert<typeof clickEventIds.$inferSelect>((db) => {
  const isOver = sql`${clickEventIds.recordedAt} < excluded.recorded_at - ${sql.raw(String(eventWindowMs))}`;
  return db
    .insert(clickEventIds)
    .values(everyColumn(clickEventIds))
    .onConflictDoUpdate({
      target: [clickEventIds.programId, clickEventIds.isTest, clickEventIds.linkId, clickEventIds.eventId],
      set: {
        clickId: sql`iif(${isOver}, excluded.click_id, ${clickEventIds.clickId})`,
        recordedAt: sql`iif(${isOver}, excluded.recorded_at, ${clickEventIds.recordedAt})`,
      },
    });
});

/** The click that an event on a link is, and the id of its row; null while that is not written yet. */
export const clickOfEvent = lookUpFirst(["programId", "isTest", "linkId", "eventId"], (db, wanted, key) =>
  db
    .select({
      clickId: clickEventIds.clickId,
      id: sql<number | null>`(select c.id from ${clicks} c where c.click_id = ${clickEventIds}.click_id)`,
    })
    .from(wanted)
    .crossJoin(clickEventIds)
    .where(
      and(
        eq(clickEventIds.programId, key.programId),
        eq(clickEventIds.isTest, key.isTest),
        eq(clickEventIds.linkId, key.linkId),
        eq(clickEventIds.eventId, key.eventId),
      ),
    ),
);

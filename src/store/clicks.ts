import { and, eq, sql } from "drizzle-orm";
import { hourMs } from "../domain/calendar.ts";
import { clickEvents, clicks } from "./schema.ts";
import { everyColumn, insert, lookUpFirst } from "./statement.ts";

export type ClickRow = typeof clicks.$inferSelect;

const eventWindowMs = 24 * hourMs;

/** Adds a click. The same click, or another of an event already recorded, adds nothing. */
export const insertClick = insert<ClickRow>((db) =>
  db.insert(clicks).values(everyColumn(clicks)).onConflictDoNothing({ target: clicks.clickId }),
);

/** Which click an event is: the one given, unless the event was recorded in the 24 hours before. Stands before the click. */
export const recordClickEvent = insert<typeof clickEvents.$inferSelect>((db) => {
  const isOver = sql`${clickEvents.recordedAt} < excluded.recorded_at - ${sql.raw(String(eventWindowMs))}`;
  return db
    .insert(clickEvents)
    .values(everyColumn(clickEvents))
    .onConflictDoUpdate({
      target: [clickEvents.programId, clickEvents.isTest, clickEvents.eventId],
      set: {
        clickId: sql`iif(${isOver}, excluded.click_id, ${clickEvents.clickId})`,
        recordedAt: sql`iif(${isOver}, excluded.recorded_at, ${clickEvents.recordedAt})`,
      },
    });
});

/** The click that an event is, and the id of its row; null while that is not written yet. */
export const clickOfEvent = lookUpFirst(["programId", "isTest", "eventId"], (db, wanted, key) =>
  db
    .select({
      clickId: clickEvents.clickId,
      id: sql<number | null>`(select c.id from ${clicks} c where c.click_id = ${clickEvents}.click_id)`,
    })
    .from(wanted)
    .crossJoin(clickEvents)
    .where(
      and(
        eq(clickEvents.programId, key.programId),
        eq(clickEvents.isTest, key.isTest),
        eq(clickEvents.eventId, key.eventId),
      ),
    ),
);

import { and, eq, sql } from "drizzle-orm";
import { hourMs } from "../domain/calendar.ts";
import { clickEvents, clicks } from "./schema.ts";
import { everyColumn, param, readFirst, write } from "./statement.ts";

export type ClickRow = typeof clicks.$inferSelect;

const eventWindowMs = 24 * hourMs;

/** Adds a click. The same click, or another of an event already recorded, adds nothing. */
export const insertClick = write<ClickRow>((db) =>
  db.insert(clicks).values(everyColumn(clicks)).onConflictDoNothing({ target: clicks.clickId }),
);

/** Which click an event is: the one given, unless the event was recorded in the 24 hours before. Stands before the click. */
export const recordClickEvent = write<typeof clickEvents.$inferSelect>((db) => {
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
    })
    .returning({ clickId: clickEvents.clickId });
});

/** Which click an event was recorded as. Its one column is the one that `recordClickEvent` returns. */
export const clickOfEvent = readFirst<{ programId: number; isTest: boolean; eventId: string }, { clickId: string }>(
  (db) =>
    db
      .select({ clickId: clickEvents.clickId })
      .from(clickEvents)
      .where(
        and(
          eq(clickEvents.programId, sql.placeholder("programId")),
          eq(clickEvents.isTest, param("isTest")),
          eq(clickEvents.eventId, sql.placeholder("eventId")),
        ),
      ),
);

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

/** The click that an event is, and the id of its row; null while that is not written yet. */
const recordedClick = {
  clickId: clickEvents.clickId,
  id: sql<number | null>`(select c.id from ${clicks} c where c.click_id = ${clickEvents}.click_id)`,
};

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
    .returning(recordedClick);
});

/** Which click an event was recorded as, in the columns that `recordClickEvent` returns. */
export const clickOfEvent = readFirst<
  { programId: number; isTest: boolean; eventId: string },
  { clickId: string; id: number | null }
>((db) =>
  db
    .select(recordedClick)
    .from(clickEvents)
    .where(
      and(
        eq(clickEvents.programId, sql.placeholder("programId")),
        eq(clickEvents.isTest, param("isTest")),
        eq(clickEvents.eventId, sql.placeholder("eventId")),
      ),
    ),
);

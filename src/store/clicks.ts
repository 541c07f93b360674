import { and, eq, getTableColumns, sql } from "drizzle-orm";
import { hourMs } from "#domain/calendar.ts";
import { clickEventIds, clicks } from "./schema/clicks.ts";
import { everyColumn, insert, lookUpFirst } from "./statement.ts";

export type ClickRow = typeof clicks.$inferSelect;

/** Nulls for all nullable columns. Clicks stored during an outage may lack columns that were added later. */
export const emptyClick: Partial<ClickRow> = Object.fromEntries(
  Object.entries(getTableColumns(clicks)).flatMap(([name, { notNull }]) => (notNull ? [] : [[name, null]])),
);

export const eventWindowMs = 24 * hourMs;

export const insertClick = insert<ClickRow>((db) =>
  db.insert(clicks).values(everyColumn(clicks)).onConflictDoNothing({ target: clicks.clickId }),
);

/**
 * Keeps the click that was recorded for this event id in the last 24 hours. If there is none, records the given click.
 * Place this write before the click's insert.
 */
export const recordClickEvent = insert<typeof clickEventIds.$inferSelect>((db) => {
  const isOver = sql`${clickEventIds.recordedAt} < excluded.recorded_at - ${sql.raw(String(eventWindowMs))}`;
  return db
    .insert(clickEventIds)
    .values(everyColumn(clickEventIds))
    .onConflictDoUpdate({
      target: [clickEventIds.programId, clickEventIds.isTest, clickEventIds.eventId, clickEventIds.linkId],
      set: {
        clickId: sql`iif(${isOver}, excluded.click_id, ${clickEventIds.clickId})`,
        recordedAt: sql`iif(${isOver}, excluded.recorded_at, ${clickEventIds.recordedAt})`,
      },
    });
});

/** `id` is null until the click's row is written. */
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

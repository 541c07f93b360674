import { and, gt, lt, sql } from "drizzle-orm";
import { dayMs } from "#domain/calendar.ts";
import type { Database } from "../database.ts";
import { writeWithRetry } from "../retrying-write.ts";
import { rateLimits } from "../schema/users.ts";
import { given, unencoded, write } from "../statement.ts";

export interface Counter {
  readonly who: string;
  readonly windowMs: number;
  /** The limit. Attempts above it are refused and not counted. */
  readonly max: number;
  /** The number of attempts that this call counts as. Defaults to 1. */
  readonly times?: number;
}

/** Increments counters with different keys and the same limit. */
const increment = write<{ keys: string; at: number; max: number; times: number }>((db) =>
  db
    .insert(rateLimits)
    .select(sql`select value, ${unencoded("times")}, ${unencoded("at")} from json_each(${given("keys")}) where true`)
    .onConflictDoUpdate({
      target: rateLimits.key,
      set: {
        count: sql`min(${rateLimits.count}, ${unencoded("max")}) + ${unencoded("times")}`,
        lastRequest: sql`excluded.last_request`,
      },
    })
    .returning({ key: rateLimits.key, count: rateLimits.count }),
);

/** Decrements counters with different keys. */
const decrement = write<{ keys: string; times: number }>((db) =>
  db
    .update(rateLimits)
    .set({ count: sql`max(${rateLimits.count} - ${unencoded("times")}, 0)` })
    .where(and(sql`${rateLimits.key} in (select value from json_each(${given("keys")}))`, gt(rateLimits.count, 0))),
);

const deleteExpired = write<{ before: number }>((db) =>
  db.delete(rateLimits).where(lt(rateLimits.lastRequest, given("before"))),
);

const keyOf = ({ who, windowMs }: Counter, at: number): string => `${who}:${windowMs}:${Math.floor(at / windowMs)}`;

const keysOf = (counters: readonly Counter[], at: number): string =>
  JSON.stringify(counters.map((counter) => keyOf(counter, at)));

export const endOfWindow = ({ windowMs }: Counter, at: number): number => (Math.floor(at / windowMs) + 1) * windowMs;

/**
 * Returns the new count of each counter, at most `max + times`. The same database request also deletes counters older
 * than a day, because no rate limit has a longer window.
 */
export async function countAttempts(
  database: Database,
  counters: readonly Counter[],
  at: number,
): Promise<readonly number[]> {
  const byLimit = Map.groupBy(counters, ({ max, times = 1 }) => `${max} ${times}`);
  const [, ...counted] = await writeWithRetry(database, [
    deleteExpired({ before: at - dayMs }),
    ...[...byLimit.values()].flatMap((those) =>
      those.slice(0, 1).map(({ max, times = 1 }) => increment({ keys: keysOf(those, at), at, max, times })),
    ),
  ]);
  const counts = new Map(counted.flat().map((row) => [String(row[0]), Number(row[1])]));
  return counters.map((counter) => counts.get(keyOf(counter, at)) ?? 0);
}

export async function releaseAttempts(database: Database, counters: readonly Counter[], at: number): Promise<void> {
  const byTimes = Map.groupBy(counters, ({ times = 1 }) => times);
  await writeWithRetry(
    database,
    [...byTimes].map(([times, those]) => decrement({ keys: keysOf(those, at), times })),
  );
}

import { ok, type Result, refused } from "#domain/result.ts";
import { databaseOf } from "#env.ts";
import type { Ctx } from "#http/context.ts";
import { logError } from "#http/log.ts";
import { type Database, DatabaseError, IdleStreams, openDatabase } from "#store/database.ts";

export const unavailable = { code: "unavailable", retryAfterSeconds: 5 } as const;

const idleStreams = new IdleStreams();

/** Refuses if the database is unreachable. Throws any other error. */
export async function readFromDatabase<T>(c: Ctx, read: (database: Database) => Promise<T>): Promise<Result<T>> {
  const database = openDatabase(databaseOf(c.env), { idleStreams });
  try {
    return ok(await read(database));
  } catch (error) {
    if (!(error instanceof DatabaseError) || error.fault.kind === "statement") throw error;
    logError(c, error);
    return refused(unavailable);
  } finally {
    c.get("log").roundTrips += database.roundTrips;
  }
}

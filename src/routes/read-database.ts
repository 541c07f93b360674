import type { Refusal } from "../domain/refusal.ts";
import { databaseOf } from "../env.ts";
import type { Ctx } from "../http/context.ts";
import { logError } from "../http/log.ts";
import { type Database, DatabaseError, openDatabase } from "../store/database.ts";

type Found<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly refusal: Refusal };

export const unavailable = { code: "unavailable", retryAfterSeconds: 5 } as const;

/** What is read of the database, unless it is out of reach. */
export async function readFromDatabase<T>(c: Ctx, read: (database: Database) => Promise<T>): Promise<Found<T>> {
  const database = openDatabase(databaseOf(c.env));
  try {
    return { ok: true, value: await read(database) };
  } catch (error) {
    if (!(error instanceof DatabaseError) || error.fault.kind === "statement") throw error;
    logError(c, error);
    return { ok: false, refusal: unavailable };
  } finally {
    c.get("notes").roundTrips += database.roundTrips;
  }
}

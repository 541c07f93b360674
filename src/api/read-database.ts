import type { Shard } from "#domain/ids.ts";
import { ok, type Result, refused, unavailable } from "#domain/result.ts";
import { home } from "#domain/shard.ts";
import { databaseOf } from "#env.ts";
import type { Ctx } from "#http/context.ts";
import { logError } from "#http/log.ts";
import { type Database, DatabaseError, IdleStreams, openDatabase } from "#store/database.ts";

/**
 * The database to read: `home` has the accounts, `program` is the database of the call's program. For `program`, a
 * guard or the Ledger must already have found the program's shard.
 */
export type Place = "home" | "program";

const idleStreams = new Map<Shard, IdleStreams>();

function streamsOf(shard: Shard): IdleStreams {
  const known = idleStreams.get(shard) ?? new IdleStreams();
  idleStreams.set(shard, known);
  return known;
}

/** Refuses if the database is unreachable. Throws any other error. */
export function readFromDatabase<T>(
  c: Ctx,
  place: Place,
  read: (database: Database) => Promise<T>,
): Promise<Result<T>> {
  const shard = place === "home" ? home : c.get("log").shard;
  if (shard === undefined) throw new Error("a program is read whose place nobody has found");
  return readFromShards(c, (database) => read(database(shard)));
}

/** Refuses if one of the databases is unreachable. Throws any other error. */
export async function readFromShards<T>(
  c: Ctx,
  read: (databaseOf: (shard: Shard) => Database) => Promise<T>,
): Promise<Result<T>> {
  const opened: Database[] = [];
  const open = (shard: Shard): Database => {
    const database = openDatabase(databaseOf(c.env, shard), { idleStreams: streamsOf(shard) });
    opened.push(database);
    return database;
  };
  try {
    return ok(await read(open));
  } catch (error) {
    if (!(error instanceof DatabaseError) || error.fault.kind === "statement") throw error;
    logError(c, error);
    return refused(unavailable);
  } finally {
    for (const { roundTrips } of opened) c.get("log").roundTrips += roundTrips;
  }
}

import { eq } from "drizzle-orm";
import { keptAccountEvents } from "#domain/account-event.ts";
import { type Database, readBatch } from "../database.ts";
import { users } from "../schema/users.ts";
import { given, readFirst } from "../statement.ts";
import { eventsOfAccount } from "./account-events.ts";
import { type SessionUser, sessionsOfUser, userColumns } from "./sessions.ts";

const userById = readFirst<{ userId: string }, SessionUser>((db) =>
  db
    .select(userColumns(db))
    .from(users)
    .where(eq(users.id, given("userId"))),
);

/** Reads the account, its sessions and all stored events in one database request. */
export function readOwnAccount(database: Database, userId: string, at: number) {
  const limit = keptAccountEvents.failed + keptAccountEvents.others;
  return readBatch(database, {
    user: userById({ userId }),
    sessions: sessionsOfUser({ userId, at }),
    events: eventsOfAccount({ userId, before: Number.MAX_SAFE_INTEGER, limit }),
  });
}

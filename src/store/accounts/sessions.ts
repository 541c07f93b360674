import { and, desc, eq, gt, lte, ne, sql } from "drizzle-orm";
import { dayMs } from "#domain/calendar.ts";
import { type Database, readOne } from "../database.ts";
import { writeWithRetry } from "../retrying-write.ts";
import { accounts, sessions, users } from "../schema/users.ts";
import { type Compiler, given, type RowOf, readAll, readFirst, unencoded, write } from "../statement.ts";
import { type AccountEvent, eventIfChanged } from "./account-events.ts";
import { hasSecondFactor } from "./second-factors.ts";

/** A session ends after a week without use, and after 30 days in any case. */
export const sessionIdleMs = 7 * dayMs;
const sessionLifeMs = 30 * dayMs;
const renewEveryMs = dayMs;

export const userColumns = (db: Compiler) => ({
  userId: users.id,
  name: users.name,
  email: users.email,
  emailVerified: users.emailVerified,
  image: users.image,
  twoFactor: sql<boolean>`${hasSecondFactor(db, users.id)}`.mapWith(Boolean).as("two_factor"),
  createdAt: users.createdAt,
  updatedAt: users.updatedAt,
});

export type NewSession = {
  readonly id: string;
  /** SHA-256 of the cookie's token. Every `token` in this file is in this form. */
  readonly token: string;
  readonly userId: string;
  readonly device: string | null;
  readonly place: string | null;
};

const isLive = () => gt(sessions.expiresAt, given("at"));

const selectSession = (db: Compiler) =>
  db
    .select({
      session: {
        id: sessions.id,
        token: sessions.token,
        createdAt: sessions.createdAt,
        updatedAt: sessions.updatedAt,
        expiresAt: sessions.expiresAt,
      },
      user: userColumns(db),
    })
    .from(sessions)
    .innerJoin(users, eq(users.id, sessions.userId))
    .where(and(eq(sessions.token, given("token")), isLive()));
type LiveSession = RowOf<typeof selectSession>;
export type SessionUser = LiveSession["user"];

const sessionByToken = readFirst<{ token: string; at: number }, LiveSession>(selectSession);

const selectOwn = (db: Compiler) =>
  db
    .select({
      id: sessions.id,
      token: sessions.token,
      device: sessions.device,
      place: sessions.place,
      createdAt: sessions.createdAt,
      updatedAt: sessions.updatedAt,
    })
    .from(sessions)
    .where(and(eq(sessions.userId, given("userId")), isLive()))
    .orderBy(desc(sessions.updatedAt), desc(sessions.id));
type OwnSession = RowOf<typeof selectOwn>;

export const sessionsOfUser = readAll<{ userId: string; at: number }, OwnSession>(selectOwn);

const extendSession = write<{ id: string; at: number; expiresAt: number }>((db) =>
  db
    .update(sessions)
    .set({ updatedAt: unencoded("at"), expiresAt: unencoded("expiresAt") })
    .where(eq(sessions.id, given("id"))),
);

/**
 * Inserts the session only if the user still has the password that was verified. A concurrent password change ends all
 * sessions, and would miss one that is inserted later.
 */
const insertSession = write<NewSession & { hash: string; at: number; expiresAt: number }>((db) =>
  db
    .insert(sessions)
    .select(
      db
        .select({
          id: sql<string>`${unencoded("id")}`.as("id"),
          token: sql<string>`${unencoded("token")}`.as("token"),
          userId: accounts.userId,
          expiresAt: sql<Date>`${unencoded("expiresAt")}`.as("expires_at"),
          ipAddress: sql<string | null>`null`.as("ip_address"),
          userAgent: sql<string | null>`null`.as("user_agent"),
          device: sql<string | null>`${unencoded("device")}`.as("device"),
          place: sql<string | null>`${unencoded("place")}`.as("place"),
          confirmedAt: sql<number>`${unencoded("at")}`.as("confirmed_at"),
          createdAt: sql<Date>`${unencoded("at")}`.as("created_at"),
          updatedAt: sql<Date>`${unencoded("at")}`.as("updated_at"),
        })
        .from(accounts)
        .where(and(eq(accounts.userId, given("userId")), eq(accounts.password, given("hash")))),
    )
    .onConflictDoNothing(),
);

const deleteExpired = write<{ userId: string; at: number }>((db) =>
  db.delete(sessions).where(and(eq(sessions.userId, given("userId")), lte(sessions.expiresAt, given("at")))),
);

const endByToken = write<{ token: string }>((db) => db.delete(sessions).where(eq(sessions.token, given("token"))));

const endById = write<{ userId: string; id: string }>((db) =>
  db.delete(sessions).where(and(eq(sessions.userId, given("userId")), eq(sessions.id, given("id")))),
);

const endOthers = write<{ userId: string; token: string }>((db) =>
  db.delete(sessions).where(and(eq(sessions.userId, given("userId")), ne(sessions.token, given("token")))),
);

/** Returns false if the password changed concurrently. */
export async function createSession(
  database: Database,
  session: NewSession,
  hash: string,
  event: AccountEvent,
): Promise<boolean> {
  const { token, userId } = session;
  const { at } = event;
  const results = await writeWithRetry(database, [
    deleteExpired({ userId, at }),
    insertSession({ ...session, hash, at, expiresAt: at + sessionIdleMs }),
    ...eventIfChanged(event),
    sessionByToken({ token, at }),
  ]);
  return results.at(-1)?.length === 1;
}

const confirmSession = write<{ token: string; at: number }>((db) =>
  db
    .update(sessions)
    .set({ confirmedAt: unencoded("at") })
    .where(eq(sessions.token, given("token"))),
);

/** Records that the user has just confirmed their identity. */
export async function markConfirmed(database: Database, token: string, at: number): Promise<void> {
  await writeWithRetry(database, [confirmSession({ token, at })]);
}

export async function endSessionByToken(database: Database, token: string, event: AccountEvent): Promise<void> {
  await writeWithRetry(database, [endByToken({ token }), ...eventIfChanged(event)]);
}

/** Extends the session if the last extension was at least a day ago. It never exceeds the maximum age. */
export async function useSession(
  database: Database,
  token: string,
  at: number,
): Promise<(LiveSession & { readonly isRenewed: boolean }) | undefined> {
  const found = await readOne(database, sessionByToken({ token, at }));
  if (found === undefined) return undefined;
  const { session } = found;
  if (session.updatedAt.getTime() + renewEveryMs > at) return { ...found, isRenewed: false };
  const expiresAt = Math.min(at + sessionIdleMs, session.createdAt.getTime() + sessionLifeMs);
  await writeWithRetry(database, [extendSession({ id: session.id, at, expiresAt })]);
  if (expiresAt <= at) return undefined;
  const renewed = { ...session, updatedAt: new Date(at), expiresAt: new Date(expiresAt) };
  return { ...found, session: renewed, isRenewed: true };
}

export async function listSessions(database: Database, userId: string, at: number): Promise<readonly OwnSession[]> {
  return await readOne(database, sessionsOfUser({ userId, at }));
}

export async function endSession(database: Database, id: string, event: AccountEvent): Promise<void> {
  await writeWithRetry(database, [endById({ userId: event.userId, id }), ...eventIfChanged(event)]);
}

export async function endOtherSessions(database: Database, token: string, event: AccountEvent): Promise<void> {
  await writeWithRetry(database, [endOthers({ userId: event.userId, token }), ...eventIfChanged(event)]);
}

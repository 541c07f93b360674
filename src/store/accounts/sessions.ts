import { and, desc, eq, gt, lte, ne, or, sql } from "drizzle-orm";
import { dayMs } from "#domain/calendar.ts";
import { type Database, readOne } from "../database.ts";
import { writeWithRetry } from "../retrying-write.ts";
import { accounts, sessions, users } from "../schema/users.ts";
import { type Compiler, given, type RowOf, readAll, readFirst, unencoded, write } from "../statement.ts";
import { type AccountEvent, eventIfChanged } from "./account-events.ts";
import { hasSecondFactor } from "./second-factors.ts";

/** A session ends after a week without use, and after 30 days even if it is used. */
export const sessionIdleMs = 7 * dayMs;
const sessionLifeMs = 30 * dayMs;
/**
 * The duration of a session that began at the identity provider. A person who was removed there is signed out after at
 * most this time.
 */
export const identitySessionMs = dayMs;
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
  readonly by: SignInProof;
};

/** The proof of who signs in: the hash of the password that was verified, or an identity of the account. */
export type SignInProof =
  | { readonly hash: string }
  | {
      readonly identityId: string;
      readonly hasProviderFactor: boolean;
      /** When the provider last checked who the user is (ms). 0 if the provider doesn't report it. */
      readonly confirmedAt: number;
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
        identityId: sessions.identityId,
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

interface Proved extends Omit<NewSession, "by"> {
  readonly hash: string | null;
  readonly identityId: string | null;
  readonly hasProviderFactor: 0 | 1;
  readonly confirmedAt: number;
  readonly at: number;
  readonly expiresAt: number;
}

/**
 * Inserts the session only if the user still has the verified password, or the identity. A concurrent password change
 * ends the user's other sessions, but would miss a session that is inserted after it.
 */
const insertSession = write<Proved & Record<string, unknown>>((db) =>
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
          confirmedAt: sql<number>`${unencoded("confirmedAt")}`.as("confirmed_at"),
          identityId: sql<string | null>`${unencoded("identityId")}`.as("identity_id"),
          hasProviderFactor: sql<boolean>`${unencoded("hasProviderFactor")}`.as("has_provider_factor"),
          createdAt: sql<Date>`${unencoded("at")}`.as("created_at"),
          updatedAt: sql<Date>`${unencoded("at")}`.as("updated_at"),
        })
        .from(accounts)
        .where(
          and(
            eq(accounts.userId, given("userId")),
            or(eq(accounts.password, given("hash")), eq(accounts.id, given("identityId"))),
          ),
        ),
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

/** Returns false if the password changed, or the identity was removed, concurrently. */
export async function createSession(
  database: Database,
  { by, ...session }: NewSession,
  event: AccountEvent,
): Promise<boolean> {
  const { token, userId } = session;
  const { at } = event;
  const proof =
    "hash" in by
      ? { hash: by.hash, identityId: null, hasProviderFactor: 0 as const, confirmedAt: at }
      : { ...by, hash: null, hasProviderFactor: by.hasProviderFactor ? (1 as const) : (0 as const) };
  const expiresAt = at + ("hash" in by ? sessionIdleMs : identitySessionMs);
  const results = await writeWithRetry(database, [
    deleteExpired({ userId, at }),
    insertSession({ ...session, ...proof, at, expiresAt }),
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

/**
 * Extends the session if the last extension was at least a day ago. The maximum age stays the limit. A session that
 * began at the identity provider isn't extended.
 */
export async function useSession(
  database: Database,
  token: string,
  at: number,
): Promise<(LiveSession & { readonly isRenewed: boolean }) | undefined> {
  const found = await readOne(database, sessionByToken({ token, at }));
  if (found === undefined) return undefined;
  const { session } = found;
  if (session.identityId !== null || session.updatedAt.getTime() + renewEveryMs > at)
    return { ...found, isRenewed: false };
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

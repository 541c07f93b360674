import { and, eq, exists, isNotNull, isNull, ne, notExists, notInArray, sql } from "drizzle-orm";
import { type Database, readOne } from "../database.ts";
import { writeWithRetry } from "../retrying-write.ts";
import { memberships } from "../schema/members.ts";
import { accounts, sessions, users } from "../schema/users.ts";
import { type Compiler, given, type RowOf, readAll, readFirst, rowWhere, write } from "../statement.ts";
import { type AccountEvent, eventIfChanged } from "./account-events.ts";
import { isPassword, passwordProvider } from "./sign-in-ways.ts";
import { accountRow } from "./users.ts";

// An identity is an account at the identity provider: the issuer and the subject that it sends. A row of `accounts`
// links it to a user of this service.

export interface Identity {
  readonly issuer: string;
  readonly subject: string;
}

/** The account of an identity, and the id of the link. */
export interface Linked {
  readonly identityId: string;
  readonly userId: string;
}

const isOfUser = eq(accounts.userId, given("userId"));
const isOfIssuer = and(isOfUser, eq(accounts.providerId, given("issuer")));

const linkedTo = readFirst<{ issuer: string; subject: string }, Linked>((db) =>
  db
    .select({ identityId: accounts.id, userId: accounts.userId })
    .from(accounts)
    .where(and(eq(accounts.providerId, given("issuer")), eq(accounts.accountId, given("subject")))),
);

/** The account to which the identity is linked. */
export async function findLinked(database: Database, { issuer, subject }: Identity): Promise<Linked | undefined> {
  return await readOne(database, linkedTo({ issuer, subject }));
}

const selectWays = (db: Compiler) =>
  db
    .select({ identityId: accounts.id, providerId: accounts.providerId, createdAt: accounts.createdAt })
    .from(accounts)
    .where(isOfUser);
type WayToSignIn = RowOf<typeof selectWays>;

const waysOfUser = readAll<{ userId: string }, WayToSignIn>(selectWays);

export interface WaysToSignIn {
  readonly hasPassword: boolean;
  /** The user's identity at the requested issuer. Undefined if there is none. */
  readonly identity: { readonly identityId: string; readonly linkedAt: number } | undefined;
}

export async function readWaysToSignIn(database: Database, userId: string, issuer: string): Promise<WaysToSignIn> {
  const ways = await readOne(database, waysOfUser({ userId }));
  const own = ways.find(({ providerId }) => providerId === issuer);
  return {
    hasPassword: ways.some(({ providerId }) => providerId === passwordProvider),
    identity: own && { identityId: own.identityId, linkedAt: own.createdAt.getTime() },
  };
}

type AccountRow = ReturnType<typeof accountRow>;

/** A user can have only one identity per issuer. A unique index ensures that an identity is linked only once. */
const insertIdentity = write<AccountRow>((db) => {
  const own = db
    .select({ id: accounts.id })
    .from(accounts)
    .where(and(isOfUser, eq(accounts.providerId, given("providerId"))));
  const user = db
    .select({ id: users.id })
    .from(users)
    .where(eq(users.id, given("userId")));
  return db
    .insert(accounts)
    .select(rowWhere(accounts, and(exists(user), notExists(own))))
    .onConflictDoNothing();
});

/**
 * Takes effect only if the identity was linked. The ended sessions may have been opened by someone else who knows the
 * password.
 */
const endOtherPasswordSessions = write<{ userId: string; identityId: string; keptToken: string }>((db) => {
  const linked = db
    .select({ id: accounts.id })
    .from(accounts)
    .where(eq(accounts.id, given("identityId")));
  const isOther = ne(sessions.token, given("keptToken"));
  return db
    .delete(sessions)
    .where(and(eq(sessions.userId, given("userId")), isNull(sessions.identityId), isOther, exists(linked)));
});

interface NewIdentity extends Identity {
  readonly identityId: string;
  /** The session that links the identity. Empty if the identity is linked by its address at a sign-in. */
  readonly keptToken: string;
}

/**
 * Links the identity to the event's user, and ends the user's other sessions that began with a password. Returns the
 * account to which the identity is linked afterwards, which may be another user's.
 */
export async function linkIdentity(
  database: Database,
  { identityId: id, issuer, subject, keptToken }: NewIdentity,
  event: AccountEvent,
): Promise<Linked | undefined> {
  const { userId, at } = event;
  const found = linkedTo({ issuer, subject });
  const results = await writeWithRetry(database, [
    insertIdentity(accountRow({ id, userId, at }, { issuer, subject })),
    ...eventIfChanged(event),
    endOtherPasswordSessions({ userId, identityId: id, keptToken }),
    found,
  ]);
  return found.decode(results.at(-1) ?? []);
}

const linkedMember = readFirst<{ userId: string; issuer: string }, { email: string }>((db) =>
  db
    .select({ email: users.email })
    .from(accounts)
    .innerJoin(users, eq(users.id, accounts.userId))
    .innerJoin(memberships, eq(memberships.userId, accounts.userId))
    .where(isOfIssuer),
);

/**
 * Undefined unless the user is a member of a workspace (suspended members count too) and has an identity of this
 * issuer.
 */
export async function findLinkedMember(
  database: Database,
  userId: string,
  issuer: string,
): Promise<{ readonly email: string } | undefined> {
  return await readOne(database, linkedMember({ userId, issuer }));
}

/** Takes effect only if the user has a password. Without one, they could no longer sign in after the deletion. */
const deleteIdentity = write<{ userId: string; issuer: string }>((db) => {
  const password = db.select({ one: sql`1` }).from(accounts).where(and(isOfUser, isPassword));
  return db.delete(accounts).where(and(isOfIssuer, exists(password)));
});

const endSessionsOfIdentities = write<{ userId: string }>((db) => {
  const kept = db.select({ id: accounts.id }).from(accounts).where(isOfUser);
  return db
    .delete(sessions)
    .where(
      and(eq(sessions.userId, given("userId")), isNotNull(sessions.identityId), notInArray(sessions.identityId, kept)),
    );
});

/**
 * Removes the user's identity and the sessions that began with it. Returns false if the account would have no other way
 * to sign in.
 */
export async function removeIdentity(database: Database, issuer: string, event: AccountEvent): Promise<boolean> {
  const { userId } = event;
  const left = waysOfUser({ userId });
  const results = await writeWithRetry(database, [
    deleteIdentity({ userId, issuer }),
    ...eventIfChanged(event),
    endSessionsOfIdentities({ userId }),
    left,
  ]);
  return !left.decode(results.at(-1) ?? []).some(({ providerId }) => providerId === issuer);
}

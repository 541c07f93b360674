import { and, eq, exists, gt, like, ne, or, sql } from "drizzle-orm";
import { type Database, readBatch } from "../database.ts";
import { writeWithRetry } from "../retrying-write.ts";
import { accounts, secondFactors, sessions, users, verifications } from "../schema/users.ts";
import { type Compiler, param, type RowOf, readFirst, write } from "../statement.ts";
import { type AccountEvent, eventIfChanged } from "./account-events.ts";
import { userColumns } from "./sessions.ts";

const given = sql.placeholder;

const isPassword = eq(accounts.providerId, "credential");
const isPasswordOfUser = and(eq(accounts.userId, given("userId")), isPassword);

const selectCredential = (db: Compiler) =>
  db
    .select({
      ...userColumns(db),
      hash: accounts.password,
      /** Instant at which the second factor was turned on; null if there is none. */
      secondFactorAt: secondFactors.confirmedAt,
      /** Request that used the last code of the second factor. */
      lastCodeUse: secondFactors.usedBy,
    })
    .from(users)
    .innerJoin(accounts, and(eq(accounts.userId, users.id), isPassword))
    .leftJoin(secondFactors, eq(secondFactors.userId, users.id));
export type Credential = RowOf<typeof selectCredential>;

const credentialOfUser = readFirst<{ userId: string }, Credential>((db) =>
  selectCredential(db).where(eq(users.id, given("userId"))),
);

const credentialOfEmail = readFirst<{ email: string }, Credential>((db) =>
  selectCredential(db).where(eq(users.email, given("email"))),
);

const isResetOfUser = and(eq(verifications.value, given("userId")), like(verifications.identifier, "reset-password:%"));

/** After a write, tells whether the write took effect. */
const hasNewHash = (db: Compiler) =>
  db
    .select({ one: sql`1` })
    .from(accounts)
    .where(and(isPasswordOfUser, eq(accounts.password, given("newHash"))));

const replacePassword = write<{ userId: string; oldHash: string; newHash: string; at: number }>((db) =>
  db
    .update(accounts)
    .set({ password: param("newHash"), updatedAt: param("at") })
    .where(and(isPasswordOfUser, eq(accounts.password, given("oldHash")))),
);

const endSessions = write<{ userId: string; newHash: string; keptToken: string | null }>((db) =>
  db
    .delete(sessions)
    .where(
      and(
        eq(sessions.userId, given("userId")),
        or(sql`${given("keptToken")} is null`, ne(sessions.token, given("keptToken"))),
        exists(hasNewHash(db)),
      ),
    ),
);

/** An open reset could still replace the new password. */
const endResets = write<{ userId: string; newHash: string }>((db) =>
  db.delete(verifications).where(and(isResetOfUser, exists(hasNewHash(db)))),
);

const passwordIs = readFirst<{ userId: string; newHash: string }, { one: unknown }>((db) => hasNewHash(db));

/** Ends all other sessions. False, and nothing written, if the password changed in between. */
export async function changePassword(
  database: Database,
  { userId, hash }: Credential,
  newHash: string,
  { keptToken, event }: { readonly keptToken: string; readonly event: AccountEvent },
): Promise<boolean> {
  const results = await writeWithRetry(database, [
    replacePassword({ userId, oldHash: hash ?? "", newHash, at: event.at }),
    ...eventIfChanged(event),
    endSessions({ userId, newHash, keptToken }),
    endResets({ userId, newHash }),
    passwordIs({ userId, newHash }),
  ]);
  return results.at(-1)?.length === 1;
}

export async function findCredentialByEmail(database: Database, email: string): Promise<Credential | undefined> {
  const { found } = await readBatch(database, { found: credentialOfEmail({ email: email.toLowerCase() }) });
  return found;
}

export async function findCredential(database: Database, userId: string): Promise<Credential | undefined> {
  return (await readBatch(database, { found: credentialOfUser({ userId }) })).found;
}

// `npm run tributary -- reset-password` opens a reset. The identifier holds only a digest of the token.

const identifierOf = (tokenHash: string): string => `reset-password:${tokenHash}`;

const isOpenReset = () =>
  and(eq(verifications.identifier, given("identifier")), gt(verifications.expiresAt, given("at")));

const credentialOfReset = readFirst<{ identifier: string; at: number }, Credential>((db) =>
  selectCredential(db).innerJoin(verifications, eq(verifications.value, users.id)).where(isOpenReset()),
);

const resetPasswordOfUser = write<{ identifier: string; userId: string; newHash: string; at: number }>((db) =>
  db
    .update(accounts)
    .set({ password: param("newHash"), updatedAt: param("at") })
    .where(and(isPasswordOfUser, exists(db.select({ one: sql`1` }).from(verifications).where(isOpenReset())))),
);

const deleteReset = write<{ identifier: string }>((db) =>
  db.delete(verifications).where(eq(verifications.identifier, given("identifier"))),
);

export async function findReset(database: Database, tokenHash: string, at: number): Promise<Credential | undefined> {
  return (await readBatch(database, { found: credentialOfReset({ identifier: identifierOf(tokenHash), at }) })).found;
}

/** Ends all sessions. False if the reset was used or has expired. */
export async function resetPassword(
  database: Database,
  tokenHash: string,
  newHash: string,
  event: AccountEvent,
): Promise<boolean> {
  const { userId, at } = event;
  const identifier = identifierOf(tokenHash);
  const results = await writeWithRetry(database, [
    resetPasswordOfUser({ identifier, userId, newHash, at }),
    ...eventIfChanged(event),
    endSessions({ userId, newHash, keptToken: null }),
    deleteReset({ identifier }),
    passwordIs({ userId, newHash }),
  ]);
  return results.at(-1)?.length === 1;
}

const deleteResets = write<{ userId: string }>((db) => db.delete(verifications).where(isResetOfUser));

const insertReset = write<{ identifier: string; userId: string; expiresAt: number; at: number }>((db) =>
  db.insert(verifications).values({
    id: given("identifier"),
    identifier: given("identifier"),
    value: given("userId"),
    expiresAt: param("expiresAt"),
    createdAt: param("at"),
    updatedAt: param("at"),
  }),
);

/** Replaces earlier resets of the account. False if no account has the address. */
export async function openReset(
  database: Database,
  email: string,
  { tokenHash, at, validMs }: { readonly tokenHash: string; readonly at: number; readonly validMs: number },
): Promise<boolean> {
  const credential = await findCredentialByEmail(database, email);
  if (credential === undefined) return false;
  const { userId } = credential;
  await writeWithRetry(database, [
    deleteResets({ userId }),
    insertReset({ identifier: identifierOf(tokenHash), userId, expiresAt: at + validMs, at }),
  ]);
  return true;
}

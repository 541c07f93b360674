import { and, eq, exists, gt, inArray, like, lte, ne, notExists, or, sql } from "drizzle-orm";
import { type Database, readOne } from "../database.ts";
import type { MailRow } from "../mails.ts";
import { writeWithRetry } from "../retrying-write.ts";
import { accounts, secondFactors, sessions, users, verifications } from "../schema/users.ts";
import { type Compiler, given, type RowOf, readFirst, rowWhere, unencoded, write } from "../statement.ts";
import { type AccountEvent, eventIfChanged } from "./account-events.ts";
import { insertLinkMail } from "./link-mails.ts";
import { userColumns } from "./sessions.ts";
import { isPassword } from "./sign-in-ways.ts";
import { endUnprovedByReset } from "./unproved.ts";
import { accountRow } from "./users.ts";

const isPasswordOfUser = and(eq(accounts.userId, given("userId")), isPassword);

const selectCredential = (db: Compiler) =>
  db
    .select({
      ...userColumns(db),
      /** Null if the account has no password: its user signs in with an identity. */
      hash: accounts.password,
      /** Instant at which the second factor was turned on. Null without a second factor. */
      secondFactorAt: secondFactors.confirmedAt,
      /** Id of the request that used the last code of the second factor. */
      lastCodeUse: secondFactors.usedBy,
    })
    .from(users)
    .leftJoin(accounts, and(eq(accounts.userId, users.id), isPassword))
    .leftJoin(secondFactors, eq(secondFactors.userId, users.id));
export type Credential = RowOf<typeof selectCredential>;

const credentialOfUser = readFirst<{ userId: string }, Credential>((db) =>
  selectCredential(db).where(eq(users.id, given("userId"))),
);

const credentialOfSession = readFirst<{ token: string; at: number }, Credential>((db) =>
  selectCredential(db)
    .innerJoin(sessions, eq(sessions.userId, users.id))
    .where(and(eq(sessions.token, given("token")), gt(sessions.expiresAt, given("at")))),
);

const credentialOfEmail = readFirst<{ email: string }, Credential>((db) =>
  selectCredential(db).where(eq(users.email, given("email"))),
);

const resetIdentifiers = "reset-password:%";
const isResetOfUser = and(eq(verifications.value, given("userId")), like(verifications.identifier, resetIdentifiers));

/** Condition: the account has the new hash, so the write of the hash took effect. */
const hasNewHash = (db: Compiler) =>
  db
    .select({ one: sql`1` })
    .from(accounts)
    .where(and(isPasswordOfUser, eq(accounts.password, given("newHash"))));

const replacePassword = write<{ userId: string; oldHash: string; newHash: string; at: number }>((db) =>
  db
    .update(accounts)
    .set({ password: unencoded("newHash"), updatedAt: unencoded("at") })
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

/** Deletes open password resets, because with one of them the new password could still be replaced. */
const endResets = write<{ userId: string; newHash: string }>((db) =>
  db.delete(verifications).where(and(isResetOfUser, exists(hasNewHash(db)))),
);

const passwordIs = readFirst<{ userId: string; newHash: string }, { one: unknown }>((db) => hasNewHash(db));

/**
 * Changes the password and ends all other sessions. Returns false, and writes nothing, if the password changed
 * concurrently.
 */
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
  const found = await readOne(database, credentialOfEmail({ email: email.toLowerCase() }));
  return found;
}

export async function findCredential(database: Database, userId: string): Promise<Credential | undefined> {
  return await readOne(database, credentialOfUser({ userId }));
}

/** The account of a session that hasn't ended. */
export async function findCredentialOfSession(
  database: Database,
  token: string,
  at: number,
): Promise<Credential | undefined> {
  return await readOne(database, credentialOfSession({ token, at }));
}

// `npm run tributary -- reset-password` and the "forgot password" form open a reset. The row's identifier contains only
// a digest of the token.

const identifierOf = (tokenHash: string): string => `reset-password:${tokenHash}`;

/**
 * Identifies a reset whose link was sent only by mail. Using this link proves that the user can read the account's
 * mail.
 */
const mailedIdentifierOf = (tokenHash: string): string => identifierOf(`mailed:${tokenHash}`);

const identifiersOf = (tokenHash: string) => ({
  identifier: identifierOf(tokenHash),
  mailedIdentifier: mailedIdentifierOf(tokenHash),
});
type Identifiers = ReturnType<typeof identifiersOf>;

const isUnexpired = () => gt(verifications.expiresAt, given("at"));
const isOpenReset = () =>
  and(inArray(verifications.identifier, [given("identifier"), given("mailedIdentifier")]), isUnexpired());

const credentialOfReset = readFirst<Identifiers & { at: number }, Credential>((db) =>
  selectCredential(db).innerJoin(verifications, eq(verifications.value, users.id)).where(isOpenReset()),
);

const resetPasswordOfUser = write<Identifiers & { userId: string; newHash: string; at: number }>((db) =>
  db
    .update(accounts)
    .set({ password: unencoded("newHash"), updatedAt: unencoded("at") })
    .where(and(isPasswordOfUser, exists(db.select({ one: sql`1` }).from(verifications).where(isOpenReset())))),
);

/**
 * Sets the first password of an account. Only a reset link that the operator created can lead here, because accounts
 * without a password aren't mailed reset links.
 */
const insertFirstPassword = write<Identifiers & ReturnType<typeof accountRow> & { at: number }>((db) =>
  db
    .insert(accounts)
    .select(
      rowWhere(
        accounts,
        and(
          exists(
            db
              .select({ one: sql`1` })
              .from(verifications)
              .where(and(isOpenReset(), eq(verifications.value, given("userId")))),
          ),
          notExists(db.select({ one: sql`1` }).from(accounts).where(isPasswordOfUser)),
        ),
      ),
    )
    .onConflictDoNothing(),
);

const verifyMailed = write<{ mailedIdentifier: string; userId: string; newHash: string; at: number }>((db) => {
  const isMailed = and(eq(verifications.identifier, given("mailedIdentifier")), isUnexpired());
  const mailed = db.select({ one: sql`1` }).from(verifications).where(isMailed);
  return db
    .update(users)
    .set({ emailVerified: true, updatedAt: unencoded("at") })
    .where(and(eq(users.id, given("userId")), eq(users.emailVerified, false), exists(mailed), exists(hasNewHash(db))));
});

export async function findReset(database: Database, tokenHash: string, at: number): Promise<Credential | undefined> {
  return await readOne(database, credentialOfReset({ ...identifiersOf(tokenHash), at }));
}

/**
 * Sets the password, and ends all sessions and other resets. If the link was mailed and the address isn't verified yet,
 * also verifies it, and removes the second factor, the identities and the name that were set before. Returns false if
 * the reset was used or has expired.
 */
export async function resetPassword(
  database: Database,
  tokenHash: string,
  newHash: string,
  event: AccountEvent,
): Promise<boolean> {
  const { userId, operationId, at } = event;
  const identifiers = identifiersOf(tokenHash);
  const first = accountRow({ id: operationId, userId, at }, { passwordHash: newHash });
  const results = await writeWithRetry(database, [
    insertFirstPassword({ ...identifiers, ...first, at }),
    resetPasswordOfUser({ ...identifiers, userId, newHash, at }),
    ...eventIfChanged(event),
    ...endUnprovedByReset({ identifier: identifiers.mailedIdentifier, at }),
    verifyMailed({ mailedIdentifier: identifiers.mailedIdentifier, userId, newHash, at }),
    endSessions({ userId, newHash, keptToken: null }),
    endResets({ userId, newHash }),
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
    expiresAt: unencoded("expiresAt"),
    createdAt: unencoded("at"),
    updatedAt: unencoded("at"),
  }),
);

/** Opens a reset and deletes the account's earlier ones. Returns false if no account has the address. */
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

// Anyone who knows an address can request reset mails to it. So a request doesn't invalidate earlier links, and the
// rate of mails is limited.

const userOfEmail = (db: Compiler) =>
  db
    .select({ id: users.id })
    .from(users)
    .where(eq(users.email, given("email")));

const deleteExpiredResets = write<{ email: string; at: number }>((db) =>
  db
    .delete(verifications)
    .where(
      and(
        inArray(verifications.value, userOfEmail(db)),
        like(verifications.identifier, resetIdentifiers),
        lte(verifications.expiresAt, given("at")),
      ),
    ),
);

interface QuietReset {
  readonly email: string;
  readonly identifier: string;
  readonly at: number;
  readonly expiresAt: number;
  readonly quietSince: number;
}

const insertQuietReset = write<QuietReset & Record<string, unknown>>((db) => {
  const recent = db
    .select({ one: sql`1` })
    .from(verifications)
    .where(
      and(
        eq(verifications.value, users.id),
        like(verifications.identifier, resetIdentifiers),
        gt(verifications.createdAt, given("quietSince")),
      ),
    );
  return db
    .insert(verifications)
    .select(
      db
        .select({
          id: sql<string>`${given("identifier")}`.as("id"),
          identifier: sql<string>`${given("identifier")}`.as("identifier"),
          value: users.id,
          expiresAt: sql<Date>`${unencoded("expiresAt")}`.as("expires_at"),
          createdAt: sql<Date>`${unencoded("at")}`.as("created_at"),
          updatedAt: sql<Date>`${unencoded("at")}`.as("updated_at"),
        })
        .from(users)
        .innerJoin(accounts, and(eq(accounts.userId, users.id), isPassword))
        .where(and(eq(users.email, given("email")), notExists(recent))),
    )
    .onConflictDoNothing();
});

interface MailedReset {
  /** The email address in lower case. */
  readonly email: string;
  readonly tokenHash: string;
  readonly at: number;
  readonly validMs: number;
  /** Minimum time between two mails. */
  readonly quietMs: number;
}

/**
 * Executes the same statements for every address, so that response times don't reveal whether an account exists. Opens
 * no reset if no account with a password has the address, or if another reset was opened less than `quietMs` before.
 */
export async function mailReset(
  database: Database,
  { email, tokenHash, at, validMs, quietMs }: MailedReset,
  mail: MailRow,
): Promise<void> {
  const identifier = mailedIdentifierOf(tokenHash);
  await writeWithRetry(database, [
    deleteExpiredResets({ email, at }),
    insertQuietReset({ email, identifier, at, expiresAt: at + validMs, quietSince: at - quietMs }),
    insertLinkMail({ ...mail, identifier }),
  ]);
}

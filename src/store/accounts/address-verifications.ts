import { and, eq, exists, gt, inArray, like, lte, notExists, sql } from "drizzle-orm";
import { dayMs } from "#domain/calendar.ts";
import { type Database, readOne } from "../database.ts";
import type { MailRow } from "../mails.ts";
import { writeWithRetry } from "../retrying-write.ts";
import { memberships } from "../schema/members.ts";
import { accountPartners } from "../schema/partner-access.ts";
import { accounts, partnerSignUps, sessions, signUpTokens, users, verifications } from "../schema/users.ts";
import { type Compiler, given, readFirst, unencoded, type Write, write } from "../statement.ts";
import { insertLinkMail } from "./link-mails.ts";
import { isIdentity } from "./sign-in-ways.ts";

// A mailed link verifies an account's email address. The row's identifier contains only a digest of the link's token.
// The row stays until it expires, so that opening the link again changes nothing.

const identifierOf = (tokenHash: string): string => `verify-address:${tokenHash}`;
const isOfUser = eq(verifications.value, given("userId"));
const isVerification = like(verifications.identifier, "verify-address:%");

export interface AddressLink {
  readonly tokenHash: string;
  readonly expiresAt: number;
  readonly mail: MailRow;
}

const insertVerification = write<{ userId: string; identifier: string; expiresAt: number; at: number }>((db) =>
  db
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
        .where(and(eq(users.id, given("userId")), eq(users.emailVerified, false))),
    )
    .onConflictDoNothing(),
);

/** Writes a verification link and the mail with it, for an account whose address isn't verified. */
export function verificationOf(userId: string, { tokenHash, expiresAt, mail }: AddressLink, at: number): Write[] {
  const identifier = identifierOf(tokenHash);
  return [insertVerification({ userId, identifier, expiresAt, at }), insertLinkMail({ ...mail, identifier })];
}

/** Mails a new verification link. Links mailed earlier stay valid. */
export async function mailVerification(
  database: Database,
  userId: string,
  link: AddressLink,
  at: number,
): Promise<void> {
  await writeWithRetry(database, verificationOf(userId, link, at));
}

const isOpen = and(eq(verifications.identifier, given("identifier")), gt(verifications.expiresAt, given("at")));

const verifyByLink = write<{ identifier: string; token: string; at: number }>((db) =>
  db
    .update(users)
    .set({ emailVerified: true, updatedAt: unencoded("at") })
    .where(
      and(
        eq(users.emailVerified, false),
        inArray(
          users.id,
          db
            .select({ id: verifications.value })
            .from(verifications)
            .innerJoin(sessions, eq(sessions.userId, verifications.value))
            .where(and(isOpen, eq(sessions.token, given("token")), gt(sessions.expiresAt, given("at")))),
        ),
      ),
    ),
);

const openLink = readFirst<{ identifier: string; at: number }, { isVerified: boolean }>((db) =>
  db
    .select({ isVerified: users.emailVerified })
    .from(verifications)
    .innerJoin(users, eq(users.id, verifications.value))
    .where(isOpen),
);

interface OpenedLink {
  readonly tokenHash: string;
  /** The session in which the link was opened. */
  readonly sessionToken: string | undefined;
  readonly at: number;
}

/**
 * Returns undefined if the link has expired or never existed. The link verifies the address only in a session of the
 * same account. Otherwise a stranger could sign up with someone's address, and the owner of the address would verify it
 * for the stranger by opening the mail.
 */
export async function verifyAddress(
  database: Database,
  { tokenHash, sessionToken: token = "", at }: OpenedLink,
): Promise<"verified" | "signed_out" | undefined> {
  const identifier = identifierOf(tokenHash);
  const link = openLink({ identifier, at });
  const results = await writeWithRetry(database, [verifyByLink({ identifier, token, at }), link]);
  const found = link.decode(results.at(-1) ?? []);
  return found && (found.isVerified ? "verified" : "signed_out");
}

const verifyKnown = write<{ userId: string; at: number }>((db) =>
  db
    .update(users)
    .set({ emailVerified: true, updatedAt: unencoded("at") })
    .where(and(eq(users.id, given("userId")), eq(users.emailVerified, false))),
);

/** Marks the address as verified, because the user has proved in another way that they receive its mail. */
export async function markVerified(database: Database, userId: string, at: number): Promise<void> {
  await writeWithRetry(database, [verifyKnown({ userId, at })]);
}

// An account that hasn't verified its address after a day, and owns nothing else, loses the address to a new account.

/** Not a valid email address, so no one can sign in with it. */
const releasedEmail = sql`'released:' || ${users.id}`;

const heldForMs = dayMs;

/**
 * True if the account was mailed a verification link at sign-up, and has no workspace, partner access or invitation. An
 * account created before the service sent mail was never asked to verify, so it keeps its address.
 */
const isReleasable = (db: Compiler) => {
  const one = { one: sql`1` };
  const wasMailed = and(
    eq(verifications.value, users.id),
    isVerification,
    eq(verifications.createdAt, users.createdAt),
  );
  return and(
    eq(users.emailVerified, false),
    lte(users.createdAt, unencoded("heldSince")),
    exists(db.select(one).from(verifications).where(wasMailed)),
    notExists(db.select(one).from(memberships).where(eq(memberships.userId, users.id))),
    notExists(db.select(one).from(accountPartners).where(eq(accountPartners.accountId, users.id))),
    notExists(db.select(one).from(signUpTokens).where(eq(signUpTokens.usedBy, users.id))),
    notExists(db.select(one).from(partnerSignUps).where(eq(partnerSignUps.userId, users.id))),
  );
};

const releasable = readFirst<{ email: string; heldSince: number }, { userId: string }>((db) =>
  db
    .select({ userId: users.id })
    .from(users)
    .where(and(eq(users.email, given("email")), isReleasable(db))),
);

export async function findReleasable(database: Database, email: string, at: number): Promise<string | undefined> {
  const found = releasable({ email, heldSince: at - heldForMs });
  return (await readOne(database, found))?.userId;
}

const release = write<{ userId: string; heldSince: number; at: number }>((db) =>
  db
    .update(users)
    .set({ email: releasedEmail, updatedAt: unencoded("at") })
    .where(and(eq(users.id, given("userId")), isReleasable(db))),
);

const isReleased = (db: Compiler) =>
  exists(
    db
      .select({ id: users.id })
      .from(users)
      .where(and(eq(users.id, given("userId")), eq(users.email, releasedEmail))),
  );

const endSessions = write<{ userId: string }>((db) =>
  db.delete(sessions).where(and(eq(sessions.userId, given("userId")), isReleased(db))),
);

const endIdentities = write<{ userId: string }>((db) =>
  db.delete(accounts).where(and(eq(accounts.userId, given("userId")), isIdentity, isReleased(db))),
);

const endLinks = write<{ userId: string }>((db) => db.delete(verifications).where(and(isOfUser, isReleased(db))));

/**
 * Releases the address, ends the account's sessions, and deletes its identities and all links mailed to the address.
 */
export const releaseAddress = (userId: string, at: number): readonly Write[] => [
  release({ userId, heldSince: at - heldForMs, at }),
  endSessions({ userId }),
  endIdentities({ userId }),
  endLinks({ userId }),
];

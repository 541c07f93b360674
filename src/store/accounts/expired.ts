import { and, eq, exists, gt, isNull, like, lt, not, or, type SQL, sql } from "drizzle-orm";
import type { SQLiteColumn, SQLiteTable } from "drizzle-orm/sqlite-core";
import { invitations } from "../schema/members.ts";
import { sessions, signUpTokens, users, verifications } from "../schema/users.ts";
import { type Compiler, given, readFirst, write } from "../statement.ts";

/**
 * Instants (ms). Sessions and mailed links that expired before `links` are removed, and invitations and sign-up tokens
 * that expired before `invitations`. Only the home database has such rows.
 */
export type ExpiredBefore = { readonly links: number; readonly invitations: number };

/**
 * True for a sign-up link of an account whose address isn't verified. The link's row stays, because it proves that the
 * account was asked to verify the address.
 */
const isOfSignUp = (db: Compiler): SQL =>
  exists(
    db
      .select({ one: sql`1` })
      .from(users)
      .where(
        and(
          eq(users.id, verifications.value),
          eq(users.emailVerified, false),
          eq(users.createdAt, verifications.createdAt),
          like(verifications.identifier, "verify-address:%"),
        ),
      ),
  );

interface Expiring {
  readonly table: SQLiteTable;
  readonly key: SQLiteColumn;
  isExpired(db: Compiler): SQL | undefined;
}

const expiring: readonly Expiring[] = [
  { table: sessions, key: sessions.id, isExpired: () => lt(sessions.expiresAt, sql`${given("links")}`) },
  {
    table: verifications,
    key: verifications.id,
    isExpired: (db) => and(lt(verifications.expiresAt, sql`${given("links")}`), not(isOfSignUp(db))),
  },
  {
    table: invitations,
    key: invitations.id,
    isExpired: () => lt(invitations.expiresAt, given("invitations")),
  },
  {
    // Used tokens stay: they show which accounts were admitted. Unused ones stay while there is no user, because the
    // first start creates an invitation for an owner.
    table: signUpTokens,
    key: signUpTokens.tokenHash,
    isExpired: (db) =>
      and(
        isNull(signUpTokens.usedBy),
        lt(signUpTokens.expiresAt, given("invitations")),
        exists(db.select({ id: users.id }).from(users).where(gt(users.email, ""))),
      ),
  },
];

const ofExpired = (db: Compiler, { table, key, isExpired }: Expiring) =>
  db.select({ key }).from(table).where(isExpired(db));

export const anyExpired = readFirst<ExpiredBefore, { isAny: boolean }>((db) =>
  db
    .select({ isAny: sql`${or(...expiring.map((each) => exists(ofExpired(db, each))))}`.mapWith(Boolean).as("is_any") })
    .from(sql`(select 1)`),
);

const removals = expiring.map((each) =>
  write<ExpiredBefore & { limit: number }>((db) =>
    db.delete(each.table).where(sql`${each.key} in (${ofExpired(db, each).limit(given("limit"))})`),
  ),
);

/** Removes at most `limit` rows of each kind. */
export const removeExpired = (before: ExpiredBefore, limit: number) =>
  removals.map((remove) => remove({ ...before, limit }));

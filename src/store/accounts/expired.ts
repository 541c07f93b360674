import { and, eq, exists, gt, isNull, like, lt, not, or, type SQL, sql } from "drizzle-orm";
import type { SQLiteColumn, SQLiteTable } from "drizzle-orm/sqlite-core";
import { invitations } from "../schema/members.ts";
import { sessions, signUpTokens, users, verifications } from "../schema/users.ts";
import { type Compiler, given, readFirst, write } from "../statement.ts";

/** Ends of sessions and mailed links, and of invitations (ms). Only home has them. */
export type ExpiredBefore = { readonly links: number; readonly invitations: number };

/** As long as an account's address is unverified, its sign-up link shows that it was asked to verify. */
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
    // A used token shows who may hold an address. The first start creates an invitation for an owner as long as there
    // is none.
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

/** At most `limit` of each kind. */
export const removeExpired = (before: ExpiredBefore, limit: number) =>
  removals.map((remove) => remove({ ...before, limit }));

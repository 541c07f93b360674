import { and, eq, type SQL, sql } from "drizzle-orm";
import { type Database, readOne } from "../database.ts";
import { memberships } from "../schema/members.ts";
import { users } from "../schema/users.ts";
import { given, readAll, readFirst } from "../statement.ts";
import { addressOf } from "./deleted-users.ts";

/** Returns a function that reads the name or address of accounts, by account id. */
function readerOf(text: typeof users.name | typeof users.email, condition?: SQL) {
  const ofUsers = readAll<{ ids: string }, { id: string; text: string }>((db) =>
    db
      .select({ id: users.id, text })
      .from(users)
      .where(
        and(
          sql`${users.id} in (select value from json_each(${given("ids")})) and ${addressOf(text)} is not null`,
          condition,
        ),
      ),
  );
  return async (database: Database, ids: readonly string[]): Promise<ReadonlyMap<string, string>> => {
    if (ids.length === 0) return new Map();
    const found = await readOne(database, ofUsers({ ids: JSON.stringify(ids) }));
    return new Map(found.map(({ id, text: of }) => [id, of]));
  };
}

export const readNames = readerOf(users.name);
export const readEmails = readerOf(users.email);
/** Returns verified addresses only. */
export const readVerifiedEmails = readerOf(users.email, eq(users.emailVerified, true));

/** Returns the first of these accounts that has an address, and the address. */
export function firstWithEmail(emails: ReadonlyMap<string, string>, accountIds: readonly string[]) {
  for (const accountId of accountIds) {
    const to = emails.get(accountId);
    if (to !== undefined) return { accountId, to };
  }
  return undefined;
}

const verifiedOf = readAll<{ addresses: string }, { email: string }>((db) =>
  db
    .select({ email: users.email })
    .from(users)
    .where(
      and(
        sql`${users.email} in (select lower(value) from json_each(${given("addresses")}))`,
        eq(users.emailVerified, true),
      ),
    ),
);

/** Filters email addresses to those that an account has verified. Returns them in lower case. */
export async function filterVerified(database: Database, addresses: readonly string[]): Promise<ReadonlySet<string>> {
  const found = await readOne(database, verifiedOf({ addresses: JSON.stringify(addresses) }));
  return new Set(found.map(({ email }) => email.toLowerCase()));
}

const verifiedOwner = readFirst<{ workspaceId: string }, { id: string }>((db) =>
  db
    .select({ id: users.id })
    .from(memberships)
    .innerJoin(users, eq(users.id, memberships.userId))
    .where(
      and(
        eq(memberships.workspaceId, given("workspaceId")),
        eq(memberships.role, "owner"),
        eq(memberships.status, "active"),
        eq(users.emailVerified, true),
      ),
    )
    .limit(1),
);

export const hasVerifiedOwner = async (database: Database, workspaceId: string): Promise<boolean> =>
  (await readOne(database, verifiedOwner({ workspaceId }))) !== undefined;

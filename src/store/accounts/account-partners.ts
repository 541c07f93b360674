import { and, asc, eq, sql } from "drizzle-orm";
import type { PartnerId, ProgramId, Shard } from "#domain/ids.ts";
import { home } from "#domain/shard.ts";
import { type Database, readOne } from "../database.ts";
import { writeWithRetry } from "../retrying-write.ts";
import { accountPartners } from "../schema/partner-access.ts";
import { programPlaces } from "../schema/places.ts";
import { sessions } from "../schema/users.ts";
import { everyColumn, given, insert, newValuesOf, readAll, readFirst, write } from "../statement.ts";

// The home database's index of the partners that an account can see. The rows in the program's database are
// authoritative.

export type AccountPartner = typeof accountPartners.$inferSelect;

const saveEntry = insert<AccountPartner>((db) =>
  db
    .insert(accountPartners)
    .values(everyColumn(accountPartners))
    .onConflictDoUpdate({
      target: [accountPartners.accountId, accountPartners.programId, accountPartners.partnerId],
      set: newValuesOf({ enteredAt: accountPartners.enteredAt }),
    }),
);

const deleteEntry = write<AccountPartner>((db) =>
  db
    .delete(accountPartners)
    .where(
      and(
        eq(accountPartners.accountId, given("accountId")),
        eq(accountPartners.programId, given("programId")),
        eq(accountPartners.partnerId, given("partnerId")),
        eq(accountPartners.enteredAt, given("enteredAt")),
      ),
    ),
);

export interface PlacedEntry extends AccountPartner {
  readonly shard: Shard;
}

const entriesOfAccount = readAll<{ accountId: string }, PlacedEntry>((db) =>
  db
    .select({
      accountId: accountPartners.accountId,
      programId: accountPartners.programId,
      partnerId: accountPartners.partnerId,
      enteredAt: sql<number>`${accountPartners.enteredAt}`,
      shard: sql<Shard>`coalesce(${programPlaces.shard}, ${sql.raw(String(home))})`,
    })
    .from(accountPartners)
    .leftJoin(programPlaces, eq(programPlaces.programId, accountPartners.programId))
    .where(eq(accountPartners.accountId, given("accountId")))
    .orderBy(asc(accountPartners.programId), asc(accountPartners.partnerId)),
);

export async function readAccountPartners(database: Database, accountId: string): Promise<readonly PlacedEntry[]> {
  return await readOne(database, entriesOfAccount({ accountId }));
}

const entryOfAccount = readFirst<{ accountId: string }, Pick<AccountPartner, "partnerId">>((db) =>
  db
    .select({ partnerId: accountPartners.partnerId })
    .from(accountPartners)
    .where(eq(accountPartners.accountId, given("accountId"))),
);

/** True if the index lists a partner for the account. */
export async function isPartnerAccount(database: Database, accountId: string): Promise<boolean> {
  return (await readOne(database, entryOfAccount({ accountId }))) !== undefined;
}

/** The index entry for the partner, if the session's account has one. */
export const entryOfSession = readFirst<
  { token: string; programId: ProgramId; partnerId: PartnerId },
  Pick<AccountPartner, "partnerId">
>((db) =>
  db
    .select({ partnerId: accountPartners.partnerId })
    .from(sessions)
    .innerJoin(accountPartners, eq(accountPartners.accountId, sessions.userId))
    .where(
      and(
        eq(sessions.token, given("token")),
        eq(accountPartners.programId, given("programId")),
        eq(accountPartners.partnerId, given("partnerId")),
      ),
    ),
);

/**
 * Call this before the program grants access, and once more afterwards: a concurrent request may delete the entry in
 * between.
 */
export async function enterAccountPartners(database: Database, entries: readonly AccountPartner[]): Promise<void> {
  if (entries.length > 0) await writeWithRetry(database, entries.map(saveEntry));
}

/** Deletes these entries, except those that were written again since they were read. */
export async function forgetAccountPartners(database: Database, entries: readonly AccountPartner[]): Promise<void> {
  await writeWithRetry(
    database,
    entries.map(({ accountId, programId, partnerId, enteredAt }) =>
      deleteEntry({ accountId, programId, partnerId, enteredAt }),
    ),
  );
}

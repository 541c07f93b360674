import { and, asc, eq, sql } from "drizzle-orm";
import type { Shard } from "#domain/ids.ts";
import { home } from "#domain/shard.ts";
import { type Database, readBatch } from "../database.ts";
import { writeWithRetry } from "../retrying-write.ts";
import { accountPartners } from "../schema/partner-access.ts";
import { programPlaces } from "../schema/places.ts";
import { everyColumn, insert, readAll, write } from "../statement.ts";

// Home's index of the partners that an account sees. The program's own rows decide.

export type AccountPartner = typeof accountPartners.$inferSelect;

const given = sql.placeholder;

const insertEntry = insert<AccountPartner>((db) =>
  db.insert(accountPartners).values(everyColumn(accountPartners)).onConflictDoNothing(),
);

const deleteEntry = write<AccountPartner>((db) =>
  db
    .delete(accountPartners)
    .where(
      and(
        eq(accountPartners.accountId, given("accountId")),
        eq(accountPartners.programId, given("programId")),
        eq(accountPartners.partnerId, given("partnerId")),
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
      shard: sql<Shard>`coalesce(${programPlaces.shard}, ${sql.raw(String(home))})`,
    })
    .from(accountPartners)
    .leftJoin(programPlaces, eq(programPlaces.programId, accountPartners.programId))
    .where(eq(accountPartners.accountId, given("accountId")))
    .orderBy(asc(accountPartners.programId), asc(accountPartners.partnerId)),
);

export async function readAccountPartners(database: Database, accountId: string): Promise<readonly PlacedEntry[]> {
  return (await readBatch(database, { entries: entriesOfAccount({ accountId }) })).entries;
}

/** Before the program grants the access. */
export async function enterAccountPartner(database: Database, entry: AccountPartner): Promise<void> {
  await writeWithRetry(database, [insertEntry(entry)]);
}

/** After the program has ended the access. */
export async function forgetAccountPartners(database: Database, entries: readonly AccountPartner[]): Promise<void> {
  await writeWithRetry(
    database,
    entries.map(({ accountId, programId, partnerId }) => deleteEntry({ accountId, programId, partnerId })),
  );
}

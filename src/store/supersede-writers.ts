import { sql } from "drizzle-orm";
import type { Database } from "./database.ts";
import { databaseAt, floorOfNewRow, raisedFloor, restoredNow, writerName } from "./fenced-row.ts";
import { backupAtAfter } from "./restores.ts";
import { writeWithRetry } from "./retrying-write.ts";
import { ledgerEntries } from "./schema/commissions.ts";
import { ledgerWriters } from "./schema/ledger-writers.ts";
import { given, unencoded, write } from "./statement.ts";

const supersedingEpoch = sql`max(${ledgerWriters.epoch} + 1, excluded.epoch)`;

/**
 * Raises the epoch above any ever used (a count of claims, or milliseconds since 1970 plus claims), and ids above any
 * ever assigned.
 */
const supersede = write<{ name: string; backupAt: number | null }>((db) =>
  db
    .insert(ledgerWriters)
    .values({
      name: given("name"),
      epoch: databaseAt,
      seq: 0,
      idFloor: floorOfNewRow,
      number: floorOfNewRow,
      restoredAt: databaseAt,
      restoredEpoch: databaseAt,
      backupAt: unencoded("backupAt"),
    })
    .onConflictDoUpdate({
      target: ledgerWriters.name,
      set: {
        epoch: supersedingEpoch,
        restoredEpoch: supersedingEpoch,
        seq: 0,
        idFloor: raisedFloor,
        // Also above the numbers of moves, which a writer claimed in the meantime may not know.
        number: raisedFloor,
        // Postings can't be undone. The operator must review everything else that a wrong clock has written.
        committedAt: sql`(select e.created_at from ${ledgerEntries} e order by e.id desc limit 1)`,
        restoredAt: restoredNow,
        backupAt: backupAtAfter(sql`coalesce(excluded.backup_at, ${ledgerWriters.committedAt})`),
      },
    }),
);

/**
 * Makes every Ledger instance drop its cache of the database, and assign only new ids, and requires an acknowledgment
 * for the next payout of each program. Safe at any time, and idempotent. `backupAt`: when the backup was made, in
 * milliseconds. Default: its last commit.
 */
export async function supersedeWriters(database: Database, backupAt?: number): Promise<void> {
  await writeWithRetry(database, [supersede({ name: writerName, backupAt: backupAt ?? null })]);
}

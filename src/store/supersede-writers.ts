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
 * Raises the epoch above any epoch used before, and new ids above any id assigned before. Each claim adds 1 to the
 * epoch. Epochs start at 1 or, after this write, at the time in milliseconds since 1970.
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
        // Raised too, because a Ledger that claimed the database since the restore may not know ledger numbers without
        // an entry.
        number: raisedFloor,
        // Ledger entries can't be undone, so later commits must not be earlier than the last entry. The operator must
        // review everything else that was written with a wrong clock.
        committedAt: sql`(select e.created_at from ${ledgerEntries} e order by e.id desc limit 1)`,
        restoredAt: restoredNow,
        backupAt: backupAtAfter(sql`coalesce(excluded.backup_at, ${ledgerWriters.committedAt})`),
      },
    }),
);

/**
 * Call this after a restore from a backup. Every Ledger then drops its cache of the database and assigns only new ids,
 * and the next payout of each program requires an acknowledgment. Safe at any time, and idempotent. `backupAt` is when
 * the backup was made (ms). It defaults to the last commit in the backup.
 */
export async function supersedeWriters(database: Database, backupAt?: number): Promise<void> {
  await writeWithRetry(database, [supersede({ name: writerName, backupAt: backupAt ?? null })]);
}

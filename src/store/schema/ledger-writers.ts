import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { instant } from "./columns.ts";

/** Fencing: only the newest epoch may write. `seq` counts its batches. See ledger/fenced-writer.ts. */
export const ledgerWriters = sqliteTable("ledger_writers", {
  name: text("name").primaryKey(),
  epoch: integer("epoch").notNull(),
  seq: integer("seq").notNull(),
  /** Instant of the newest batch, by the writer's clock, which a test may set ahead. Null before the first batch. */
  at: instant("at"),
  /** Instant of the newest batch whose clock wasn't simulated. */
  committedAt: instant("committed_at"),
  /** The last ledger number assigned to a ledger entry, an approval or a transfer. */
  number: integer("number").notNull().default(0),
  /** Ids up to this one may have been assigned, even if no row has them. */
  idFloor: integer("id_floor").notNull().default(0),
  /**
   * When the last restore from a backup was noticed. Null if there was none. `backupAt` is when that backup was made.
   * See store/restores.ts.
   */
  restoredAt: instant("restored_at"),
  /**
   * The first epoch since the last restore. Events of earlier epochs are from before the restore. Null if there was
   * none.
   */
  restoredEpoch: integer("restored_epoch"),
  backupAt: instant("backup_at"),
});

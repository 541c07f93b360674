import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { instant } from "./columns.ts";

/** The newest epoch is the writer. `seq` counts its batches. See ledger/fenced-writer.ts. */
export const ledgerWriters = sqliteTable("ledger_writers", {
  name: text("name").primaryKey(),
  epoch: integer("epoch").notNull(),
  seq: integer("seq").notNull(),
  /** Instant of the newest batch, by the clock of its writer, which may be simulated. Null: none yet. */
  at: instant("at"),
  /** The same, of the last batch whose clock was not simulated. */
  committedAt: instant("committed_at"),
  /** The last number that the newest batch gave to an entry or a move. */
  number: integer("number").notNull().default(0),
  /** Ids up to here may have been assigned, even without a row. */
  idFloor: integer("id_floor").notNull().default(0),
  /** When the last restore was noticed, and when its backup was made. Null: never. See store/restores.ts. */
  restoredAt: instant("restored_at"),
  /** The first epoch since the last restore. Events of an earlier one are all from before it. Null: never. */
  restoredEpoch: integer("restored_epoch"),
  backupAt: instant("backup_at"),
});

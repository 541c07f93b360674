import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** The newest epoch is the writer. `seq` counts its batches. See ledger/fenced-writer.ts. */
export const ledgerWriters = sqliteTable("ledger_writers", {
  name: text("name").primaryKey(),
  epoch: integer("epoch").notNull(),
  seq: integer("seq").notNull(),
  /** Ids up to here may have been assigned, even without a row. */
  idFloor: integer("id_floor").notNull().default(0),
});

import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** Who may write the ledger: the newest epoch, in the order of `seq`. See ledger/fenced-writer.ts. */
export const ledgerWriters = sqliteTable("ledger_writers", {
  name: text("name").primaryKey(),
  epoch: integer("epoch").notNull(),
  seq: integer("seq").notNull(),
  /** Ids up to it may have been given out, also where no row has them. */
  idFloor: integer("id_floor").notNull().default(0),
});

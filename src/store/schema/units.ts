import { sql } from "drizzle-orm";
import { check, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { instant } from "./columns.ts";
import { programId } from "./programs.ts";

/**
 * Rewards that commissions are counted in instead of money, such as free months. The database rejects changes of a row.
 */
export const units = sqliteTable(
  "units",
  {
    programId: programId(),
    /** Used like a currency code, but longer than three letters. */
    code: text("code").notNull(),
    digits: integer("digits").notNull(),
    one: text("one").notNull(),
    other: text("other").notNull(),
    createdAt: instant("created_at").notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.programId, t.code] }),
    check("units_code", sql`length(${t.code}) between 4 and 12 and ${t.code} not glob '*[^A-Z]*'`),
    check("units_digits", sql`${t.digits} between 0 and 4`),
  ],
);

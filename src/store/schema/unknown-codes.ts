import { foreignKey, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { ProgramId } from "#domain/ids.ts";
import { flag } from "./columns.ts";
import { programs } from "./programs.ts";

/** Landings for each day with a code that no partner has. A trigger limits the number of codes for a day. */
export const unknownCodes = sqliteTable(
  "unknown_codes",
  {
    programId: integer("program_id").$type<ProgramId>().notNull(),
    isTest: flag("is_test"),
    day: text("day").notNull(),
    /** The code, normalized to NFC, with its ASCII letters in lower case. */
    code: text("code").notNull(),
    landings: integer("landings").notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.programId, t.isTest, t.day, t.code] }),
    foreignKey({ columns: [t.programId], foreignColumns: [programs.id] }),
  ],
);

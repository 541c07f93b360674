import { foreignKey, integer, primaryKey, sqliteTable } from "drizzle-orm/sqlite-core";
import type { ProgramId } from "#domain/ids.ts";
import { flag } from "./columns.ts";
import { programs } from "./programs.ts";

/**
 * Events of each hour (hours since 1970): clicks without bots and prefetches, attributed leads, and attributed sales
 * without corrected ones. Triggers update a row in the transaction of each event of the last 48 hours, and delete older
 * rows.
 */
export const recentHours = sqliteTable(
  "recent_hours",
  {
    programId: integer("program_id").$type<ProgramId>().notNull(),
    isTest: flag("is_test"),
    hour: integer("hour").notNull(),
    clicks: integer("clicks").notNull().default(0),
    leads: integer("leads").notNull().default(0),
    sales: integer("sales").notNull().default(0),
  },
  (t) => [
    primaryKey({ columns: [t.programId, t.isTest, t.hour] }),
    foreignKey({ columns: [t.programId], foreignColumns: [programs.id] }),
  ],
);

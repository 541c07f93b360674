import { sql } from "drizzle-orm";
import { check, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { instant } from "./columns.ts";
import { programId } from "./programs.ts";

/** The last reported result of comparing a program's sales with a payment processor's payments. */
export const reconciliations = sqliteTable(
  "reconciliations",
  {
    programId: programId().primaryKey(),
    processor: text("processor").notNull(),
    fromAt: instant("from_at").notNull(),
    toAt: instant("to_at").notNull(),
    matched: integer("matched").notNull(),
    missing: integer("missing").notNull(),
    unexpected: integer("unexpected").notNull(),
    differs: integer("differs").notNull(),
    reportedAt: instant("reported_at").notNull(),
  },
  (t) => [
    check("reconciliations_span", sql`${t.fromAt} <= ${t.toAt}`),
    check("reconciliations_counts", sql`min(${t.matched}, ${t.missing}, ${t.unexpected}, ${t.differs}) >= 0`),
  ],
);

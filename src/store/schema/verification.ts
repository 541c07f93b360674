import { sql } from "drizzle-orm";
import { check, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { chainVerdicts } from "#domain/verification.ts";
import { flag, instant } from "./columns.ts";
import { programId } from "./programs.ts";

export const verificationRuns = sqliteTable(
  "verification_runs",
  {
    programId: programId().primaryKey(),
    click: text("click", { enum: chainVerdicts }).notNull(),
    lead: text("lead", { enum: chainVerdicts }).notNull(),
    sale: text("sale", { enum: chainVerdicts }).notNull(),
    isAttributed: flag("is_attributed"),
    /** For the rate limit: the number of runs started in the hour that began at `hourAt`. */
    hourAt: instant("hour_at").notNull(),
    runsInHour: integer("runs_in_hour").notNull(),
    finishedAt: instant("finished_at"),
  },
  (t) => [check("verification_runs_hour", sql`${t.runsInHour} >= 0`)],
);

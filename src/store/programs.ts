import { eq, sql } from "drizzle-orm";
import type { ProgramId } from "#domain/ids.ts";
import { programs } from "./schema/programs.ts";
import { everyColumn, insert, readFirst, update } from "./statement.ts";

export type ProgramRow = typeof programs.$inferSelect;

const hasId = eq(programs.id, sql.placeholder("id"));

export const programById = readFirst<{ id: ProgramId }, ProgramRow>((db) => db.select().from(programs).where(hasId));

export const insertProgram = insert<ProgramRow>((db) => db.insert(programs).values(everyColumn(programs)));

export const updateProgram = update(
  programs,
  ["id"],
  [
    "name",
    "websiteUrl",
    "currency",
    "timezone",
    "leadAuth",
    "attributionModel",
    "attributionWindowDays",
    "windowUntil",
    "cookieWindowDays",
    "payoutMode",
    "minimumPayoutCents",
    "payoutTerms",
    "payoutApproval",
    "status",
    "archivedAt",
  ],
);

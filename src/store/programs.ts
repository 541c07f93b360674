import { count, eq, sql } from "drizzle-orm";
import type { ProgramId } from "#domain/ids.ts";
import { programs } from "./schema/programs.ts";
import { everyColumn, param, readCount, readFirst, write } from "./statement.ts";

export type ProgramRow = typeof programs.$inferSelect;

const hasId = eq(programs.id, sql.placeholder("id"));

export const programById = readFirst<{ id: ProgramId }, ProgramRow>((db) => db.select().from(programs).where(hasId));

export const programCount = readCount<{ workspaceId: string }>((db) =>
  db
    .select({ n: count() })
    .from(programs)
    .where(eq(programs.workspaceId, sql.placeholder("workspaceId"))),
);

export const insertProgram = write<ProgramRow>((db) => db.insert(programs).values(everyColumn(programs)));

export const updateProgram = write<ProgramRow>((db) =>
  db
    .update(programs)
    .set({
      name: param("name"),
      websiteUrl: param("websiteUrl"),
      currency: param("currency"),
      timezone: param("timezone"),
      leadAuth: param("leadAuth"),
      attributionModel: param("attributionModel"),
      attributionWindowDays: param("attributionWindowDays"),
      windowUntil: param("windowUntil"),
      cookieWindowDays: param("cookieWindowDays"),
      payoutMode: param("payoutMode"),
      minimumPayoutCents: param("minimumPayoutCents"),
      payoutTerms: param("payoutTerms"),
      payoutApproval: param("payoutApproval"),
      status: param("status"),
      archivedAt: param("archivedAt"),
    })
    .where(hasId),
);

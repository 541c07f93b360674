import { eq, sql } from "drizzle-orm";
import type { ProgramId } from "#domain/ids.ts";
import { verificationRuns } from "./schema/verification.ts";
import { everyColumn, insert, readFirst } from "./statement.ts";

export type VerificationRow = typeof verificationRuns.$inferSelect;

export const verificationOfProgram = readFirst<{ programId: ProgramId }, VerificationRow>((db) =>
  db
    .select()
    .from(verificationRuns)
    .where(eq(verificationRuns.programId, sql.placeholder("programId"))),
);

export const saveVerification = insert<VerificationRow>((db) =>
  db
    .insert(verificationRuns)
    .values(everyColumn(verificationRuns))
    .onConflictDoUpdate({
      target: verificationRuns.programId,
      set: {
        click: sql`excluded.click`,
        lead: sql`excluded.lead`,
        sale: sql`excluded.sale`,
        isAttributed: sql`excluded.is_attributed`,
        hourAt: sql`excluded.hour_at`,
        runsInHour: sql`excluded.runs_in_hour`,
        finishedAt: sql`excluded.finished_at`,
      },
    }),
);

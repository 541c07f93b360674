import { eq, getTableColumns } from "drizzle-orm";
import type { ProgramId } from "#domain/ids.ts";
import { verificationRuns } from "./schema/verification.ts";
import { everyColumn, given, insert, newValuesOf, readFirst } from "./statement.ts";

export type VerificationRow = typeof verificationRuns.$inferSelect;

const { programId, ...run } = getTableColumns(verificationRuns);

export const verificationOfProgram = readFirst<{ programId: ProgramId }, VerificationRow>((db) =>
  db
    .select()
    .from(verificationRuns)
    .where(eq(programId, given("programId"))),
);

export const saveVerification = insert<VerificationRow>((db) =>
  db
    .insert(verificationRuns)
    .values(everyColumn(verificationRuns))
    .onConflictDoUpdate({
      target: programId,
      set: newValuesOf(run),
    }),
);

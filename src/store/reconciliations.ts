import { eq, getTableColumns } from "drizzle-orm";
import type { ProgramId } from "#domain/ids.ts";
import { reconciliations } from "./schema/reconciliations.ts";
import { everyColumn, given, insert, newValuesOf, readFirst } from "./statement.ts";

export type ReconciliationRow = typeof reconciliations.$inferSelect;

const { programId, ...reported } = getTableColumns(reconciliations);

export const reconciliationOfProgram = readFirst<{ programId: ProgramId }, ReconciliationRow>((db) =>
  db
    .select()
    .from(reconciliations)
    .where(eq(programId, given("programId"))),
);

export const saveReconciliation = insert<ReconciliationRow>((db) =>
  db
    .insert(reconciliations)
    .values(everyColumn(reconciliations))
    .onConflictDoUpdate({ target: programId, set: newValuesOf(reported) }),
);

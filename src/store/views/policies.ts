import { desc, eq, sql } from "drizzle-orm";
import { type Database, readBatch } from "../database.ts";
import type { PolicyRow } from "../policies.ts";
import { commissionPolicies } from "../schema/policies.ts";
import { readAll } from "../statement.ts";

const policiesOfProgram = readAll<{ programId: number }, PolicyRow>((db) =>
  db
    .select()
    .from(commissionPolicies)
    .where(eq(commissionPolicies.programId, sql.placeholder("programId")))
    .orderBy(desc(commissionPolicies.version)),
);

export async function listPolicies(database: Database, programId: number): Promise<readonly PolicyRow[]> {
  return (await readBatch(database, { found: policiesOfProgram({ programId }) })).found;
}

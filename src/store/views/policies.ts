import { and, desc, eq, getTableColumns, sql } from "drizzle-orm";
import { type Database, readBatch } from "../database.ts";
import type { PolicyRow } from "../policies.ts";
import { auditEntries } from "../schema/audit.ts";
import { commissionPolicies } from "../schema/policies.ts";
import { users } from "../schema/users.ts";
import { readAll } from "../statement.ts";

export interface PolicyView extends PolicyRow {
  /** Null for a version that no user set. */
  readonly setByName: string | null;
}

const { programId, partnerId, version } = commissionPolicies;

const policiesOfProgram = readAll<{ programId: number }, PolicyView>((db) =>
  db
    .select({ ...getTableColumns(commissionPolicies), setByName: users.name })
    .from(commissionPolicies)
    .leftJoin(
      auditEntries,
      and(
        eq(auditEntries.programId, programId),
        eq(
          auditEntries.subject,
          sql`iif(${partnerId} is null, 'program ' || ${programId}, 'partner ' || ${partnerId})`,
        ),
        eq(auditEntries.action, "policy.set"),
        sql`json_extract(${auditEntries.after}, '$.version') = ${version}`,
      ),
    )
    .leftJoin(users, eq(users.id, auditEntries.actorId))
    .where(eq(programId, sql.placeholder("programId")))
    .orderBy(desc(commissionPolicies.version)),
);

export async function listPolicies(database: Database, programId: number): Promise<readonly PolicyView[]> {
  return (await readBatch(database, { found: policiesOfProgram({ programId }) })).found;
}

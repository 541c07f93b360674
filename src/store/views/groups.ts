import { and, desc, eq, getTableColumns, lt, sql } from "drizzle-orm";
import type { GroupId, ProgramId } from "#domain/ids.ts";
import { type Database, readOne } from "../database.ts";
import { isNewest } from "../groups.ts";
import { isCurrent, termsColumns } from "../policies.ts";
import { groupMemberships, partnerGroups } from "../schema/partner-groups.ts";
import { commissionPolicies } from "../schema/policies.ts";
import { type Compiler, given, type RowOf, readAll, readFirst } from "../statement.ts";

const selectGroups = (db: Compiler) =>
  db
    .select({
      ...getTableColumns(partnerGroups),
      partners: sql<number>`(
        select count(*) from ${groupMemberships} where ${groupMemberships.groupId} = ${partnerGroups.id} and ${isNewest})`,
      /** The terms that are now in force. */
      policy: termsColumns,
    })
    .from(partnerGroups)
    .leftJoin(
      commissionPolicies,
      and(
        eq(commissionPolicies.programId, partnerGroups.programId),
        sql`${commissionPolicies.partnerId} is null`,
        eq(commissionPolicies.groupId, partnerGroups.id),
        isCurrent,
      ),
    );
export type GroupView = RowOf<typeof selectGroups>;

const groupsOfProgram = readAll<{ programId: ProgramId; before: number; limit: number }, GroupView>((db) =>
  selectGroups(db)
    .where(and(eq(partnerGroups.programId, given("programId")), lt(partnerGroups.id, given("before"))))
    .orderBy(desc(partnerGroups.id))
    .limit(given("limit")),
);

const groupById = readFirst<{ programId: ProgramId; id: GroupId }, GroupView>((db) =>
  selectGroups(db).where(and(eq(partnerGroups.programId, given("programId")), eq(partnerGroups.id, given("id")))),
);

export async function listGroups(
  database: Database,
  programId: ProgramId,
  position: { readonly before: number; readonly limit: number },
): Promise<readonly GroupView[]> {
  return await readOne(database, groupsOfProgram({ programId, ...position }));
}

export async function findGroup(database: Database, programId: ProgramId, id: GroupId): Promise<GroupView | undefined> {
  return await readOne(database, groupById({ programId, id }));
}

import { and, eq, sql } from "drizzle-orm";
import type { ProgramId } from "#domain/ids.ts";
import { type Database, readOne } from "../database.ts";
import { memberships } from "../schema/members.ts";
import { programPlaces } from "../schema/places.ts";
import { given, readAll } from "../statement.ts";

type Member = Pick<typeof memberships.$inferSelect, "userId" | "status">;

const membersAmong = readAll<{ programId: ProgramId; accountIds: string }, Member>((db) =>
  db
    .select({ userId: memberships.userId, status: memberships.status })
    .from(programPlaces)
    .innerJoin(
      memberships,
      and(
        eq(memberships.workspaceId, programPlaces.workspaceId),
        sql`${memberships.userId} in (select value from json_each(${given("accountIds")}))`,
      ),
    )
    .where(eq(programPlaces.programId, given("programId"))),
);

/** Returns the accounts that are members of the program's workspace, including suspended members. */
export async function findProgramMembers(
  database: Database,
  programId: ProgramId,
  accountIds: readonly string[],
): Promise<ReadonlyMap<string, Member["status"]>> {
  if (accountIds.length === 0) return new Map();
  const found = await readOne(database, membersAmong({ programId, accountIds: JSON.stringify(accountIds) }));
  return new Map(found.map(({ userId, status }) => [userId, status]));
}

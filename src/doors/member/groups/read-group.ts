import { readFromDatabase } from "#api/read-database.ts";
import type { GroupId } from "#domain/ids.ts";
import { ok, type Result, refused } from "#domain/result.ts";
import type { Ctx } from "#http/context.ts";
import { findGroup, type GroupView } from "#store/views/groups.ts";

export const noGroup = { code: "not_found", what: "group" } as const;

/** As a change has left it. */
export async function readGroup(c: Ctx, programId: number, groupId: GroupId): Promise<Result<GroupView>> {
  const found = await readFromDatabase(c, "program", (database) => findGroup(database, programId, groupId));
  if (!found.ok) return found;
  return found.value === undefined ? refused(noGroup) : ok(found.value);
}

import type { GroupId } from "#domain/ids.ts";
import { notFound, ok, type Result, refused } from "#domain/result.ts";
import type { Ctx } from "#http/context.ts";
import * as fields from "#http/schema/form-fields.ts";
import { id, int64 } from "#http/schema/integers.ts";
import { encoded, instant, record } from "#http/schema/record.ts";
import * as z from "#http/schema/zod.ts";
import type { PolicyTerms } from "#store/policies.ts";
import { findGroup, type GroupView } from "#store/views/groups.ts";
import { policyRecord } from "./policies.ts";
import { readFromDatabase } from "./read-database.ts";

export const groupName = () =>
  fields
    .nonBlank("name", 60)
    .transform((name) => name.trim())
    .describe("Name of the group, unique in the program, ignoring case.");

export const groupRecord = record("PartnerGroup", {
  id: id(),
  name: z.string(),
  partners: int64().describe("Number of partners in the group."),
  policy: encoded(
    policyRecord.schema.nullable().describe("The group's commission policy in force. Null if it has none."),
    (policy: PolicyTerms | null) => policy && policyRecord.reply(policy),
  ),
  createdAt: instant(),
});

export const noGroup = notFound("group");

export async function readGroup(c: Ctx, programId: number, groupId: GroupId): Promise<Result<GroupView>> {
  const found = await readFromDatabase(c, "program", (database) => findGroup(database, programId, groupId));
  if (!found.ok) return found;
  return found.value === undefined ? refused(noGroup) : ok(found.value);
}

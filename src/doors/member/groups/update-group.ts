import { runOperation } from "#http/call-ledger.ts";
import { body, createRoute, endpoint, returns, refusals, refuse, withJsonBody } from "#http/endpoint.ts";
import { readId } from "#http/schema/id.ts";
import * as z from "#http/schema/zod.ts";
import { actingMember } from "../actor.ts";
import { inputRefusals, memberWriteRefusals, programMember } from "../guards.ts";
import { GroupPath } from "../params.ts";
import { groupName, groupRecord } from "./group-record.ts";
import { noGroup, readGroup } from "./read-group.ts";

const GroupChanges = z.object({ name: groupName() }).openapi("PartnerGroupChanges");

export const updateGroup = endpoint({
  route: createRoute({
    method: "patch",
    path: "/programs/{programId}/groups/{groupId}",
    operationId: "updatePartnerGroup",
    tags: ["Management"],
    summary: "Rename a group of partners",
    description: "Explanations of earlier commissions keep the name that it had.",
    ...withJsonBody(programMember("admin")),
    request: { params: GroupPath, body: body(GroupChanges) },
    responses: {
      ...returns("The renamed group", z.object({ data: groupRecord.schema })),
      ...refusals([...memberWriteRefusals, ...inputRefusals, "group_taken", "program_archived"]),
    },
  }),
  handler: async (c) => {
    const groupId = readId(c.req.valid("param").groupId);
    if (groupId === undefined) return refuse(c, noGroup);
    const update = { ...actingMember(c), kind: "update-group", groupId, ...c.req.valid("json") } as const;
    const outcome = await runOperation(c, update);
    if (!outcome.ok) return refuse(c, outcome.refusal);
    const group = await readGroup(c, update.programId, groupId);
    return group.ok ? c.json({ data: groupRecord.reply(group.value) }, 200) : refuse(c, group.refusal);
  },
});

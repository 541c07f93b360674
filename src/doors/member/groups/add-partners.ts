import { runOperation } from "#http/call-ledger.ts";
import { body, createRoute, endpoint, returns, refusals, refuse, withJsonBody } from "#http/endpoint.ts";
import * as fields from "#http/schema/form-fields.ts";
import { readId } from "#http/schema/id.ts";
import * as z from "#http/schema/zod.ts";
import { actingMember } from "../actor.ts";
import { inputRefusals, memberWriteRefusals, programMember } from "../guards.ts";
import { GroupPath } from "../params.ts";
import { groupRecord } from "./group-record.ts";
import { noGroup, readGroup } from "./read-group.ts";

const maxPerCall = 1_000;
const idsMessage = `Send partnerIds (1 to ${maxPerCall})`;

const Partners = z
  .object({
    partnerIds: z.array(fields.programId("partnerIds"), idsMessage).min(1, idsMessage).max(maxPerCall, idsMessage),
  })
  .openapi("PartnersToAdd");

export const addPartnersToGroup = endpoint({
  route: createRoute({
    method: "post",
    path: "/programs/{programId}/groups/{groupId}/partners",
    operationId: "addPartnersToGroup",
    tags: ["Management"],
    summary: "Add partners to a group",
    description:
      "Each leaves the group that they were in. Sales from now on are decided by the new group, earlier ones by the one " +
      "that the partner was in then. If any of the partners doesn't exist, none is added.",
    ...withJsonBody(programMember("admin")),
    request: { params: GroupPath, body: body(Partners) },
    responses: {
      ...returns("The group", z.object({ data: groupRecord.schema })),
      ...refusals([...memberWriteRefusals, ...inputRefusals, "too_many_memberships"]),
    },
  }),
  handler: async (c) => {
    const groupId = readId(c.req.valid("param").groupId);
    if (groupId === undefined) return refuse(c, noGroup);
    const partnerIds = [...new Set(c.req.valid("json").partnerIds)];
    const add = { ...actingMember(c), kind: "add-to-group", groupId, partnerIds } as const;
    const outcome = await runOperation(c, add);
    if (!outcome.ok) return refuse(c, outcome.refusal);
    const group = await readGroup(c, add.programId, groupId);
    return group.ok ? c.json({ data: groupRecord.reply(group.value) }, 200) : refuse(c, group.refusal);
  },
});

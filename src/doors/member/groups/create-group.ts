import { caps } from "#domain/caps.ts";
import { runOperation } from "#http/call-ledger.ts";
import { body, created, createRoute, endpoint, refusals, refuse, withJsonBody } from "#http/endpoint.ts";
import * as z from "#http/schema/zod.ts";
import { actingMember } from "../actor.ts";
import { inputRefusals, memberWriteRefusals, programMember } from "../guards.ts";
import { ProgramPath } from "../params.ts";
import { groupName, groupRecord } from "./group-record.ts";
import { readGroup } from "./read-group.ts";

const NewGroup = z.object({ name: groupName() }).openapi("NewPartnerGroup");

export const createGroup = endpoint({
  route: createRoute({
    method: "post",
    path: "/programs/{programId}/groups",
    operationId: "createPartnerGroup",
    tags: ["Management"],
    summary: "Create a group of partners",
    description: `Its commission policy replaces the program's for its partners. A program can have ${caps.groups.max} groups.`,
    ...withJsonBody(programMember("admin")),
    request: { params: ProgramPath, body: body(NewGroup) },
    responses: {
      ...created("Group created", z.object({ data: groupRecord.schema })),
      ...refusals([...memberWriteRefusals, ...inputRefusals, "group_taken", "cap_reached", "program_archived"]),
    },
  }),
  handler: async (c) => {
    const create = { ...actingMember(c), kind: "create-group", ...c.req.valid("json") } as const;
    const outcome = await runOperation(c, create);
    if (!outcome.ok) return refuse(c, outcome.refusal);
    const group = await readGroup(c, create.programId, outcome.answer.groupId);
    return group.ok ? c.json({ data: groupRecord.reply(group.value) }, 201) : refuse(c, group.refusal);
  },
});

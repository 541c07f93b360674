import { groupName, groupRecord, readGroup } from "#api/groups.ts";
import { readPage } from "#api/read-page.ts";
import { caps } from "#domain/caps.ts";
import { runOperation } from "#http/call-ledger.ts";
import { body, created, createRoute, endpoint, refusals, refuse, returns, withJsonBody } from "#http/endpoint.ts";
import { idCursor, newest, PageMeta } from "#http/schema/cursor.ts";
import * as fields from "#http/schema/form-fields.ts";
import { id } from "#http/schema/integers.ts";
import * as z from "#http/schema/zod.ts";
import { listGroups as list } from "#store/views/groups.ts";
import { actingMember } from "./actor.ts";
import { inputRefusals, memberRefusals, memberWriteRefusals, programMember } from "./guards.ts";
import { GroupPath, ProgramPath } from "./params.ts";
import { proposable, proposableRefusals } from "./proposed.ts";

const defaultLimit = 50;

const cursors = idCursor("groups");

const Query = z.object({
  limit: fields
    .integerText("limit", 1, caps.groups.max)
    .default(defaultLimit)
    .describe(`Groups per page. Defaults to ${defaultLimit}.`),
  cursor: cursors.parameter(),
});

export const listGroups = endpoint({
  route: createRoute({
    method: "get",
    path: "/programs/{programId}/groups",
    operationId: "listPartnerGroups",
    tags: ["Management"],
    summary: "List groups of partners",
    description: "Lists groups with the number of their partners and the policy for their sales.",
    ...programMember("viewer"),
    request: { params: ProgramPath, query: Query },
    responses: {
      ...returns("Groups, newest first", z.object({ data: z.array(groupRecord.schema), meta: PageMeta })),
      ...refusals([...memberRefusals, "invalid_input"]),
    },
  }),
  handler: async (c) => {
    const { limit, cursor: { id: before } = newest } = c.req.valid("query");
    const { id } = c.get("program");
    const found = await readPage(c, "program", { ...cursors, size: limit }, (database, rows) =>
      list(database, id, { before, limit: rows }),
    );
    if (!found.ok) return refuse(c, found.refusal);
    const { page, meta } = found.value;
    return c.json({ data: page.map(groupRecord.reply), meta }, 200);
  },
});

const NewGroup = z.object({ name: groupName() }).openapi("NewPartnerGroup");

export const createGroup = endpoint({
  route: createRoute({
    method: "post",
    path: "/programs/{programId}/groups",
    operationId: "createPartnerGroup",
    tags: ["Management"],
    summary: "Create a group of partners",
    description: `A group's commission policy replaces the program's policy for the partners in the group. A program can have ${caps.groups.max} groups.`,
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

const GroupChanges = z.object({ name: groupName() }).openapi("PartnerGroupChanges");

export const updateGroup = endpoint({
  route: createRoute({
    method: "patch",
    path: "/programs/{programId}/groups/{groupId}",
    operationId: "updatePartnerGroup",
    tags: ["Management"],
    summary: "Rename a group of partners",
    description: "Explanations of earlier sales keep the old name.",
    ...withJsonBody(programMember("admin")),
    request: { params: GroupPath, body: body(GroupChanges) },
    responses: {
      ...returns("The renamed group", z.object({ data: groupRecord.schema })),
      ...refusals([...memberWriteRefusals, ...inputRefusals, "group_taken", "program_archived"]),
    },
  }),
  handler: async (c) => {
    const { groupId } = c.req.valid("param");
    const update = { ...actingMember(c), kind: "update-group", groupId, ...c.req.valid("json") } as const;
    const outcome = await runOperation(c, update);
    if (!outcome.ok) return refuse(c, outcome.refusal);
    const group = await readGroup(c, update.programId, groupId);
    return group.ok ? c.json({ data: groupRecord.reply(group.value) }, 200) : refuse(c, group.refusal);
  },
});

const maxPerCall = 1_000;
const idsMessage = `Send partnerIds (1 to ${maxPerCall})`;

const Partners = z
  .object({
    partnerIds: fields.ids("partnerIds", maxPerCall, idsMessage),
  })
  .openapi("PartnersToAdd");

export const removePartnersFromGroups = endpoint({
  route: createRoute({
    method: "post",
    path: "/programs/{programId}/groups/none/partners",
    operationId: "removePartnersFromGroups",
    tags: ["Management"],
    summary: "Remove partners from their groups",
    description:
      "The program's policy applies to sales from now on; earlier sales keep the group that the partner was in then. If any " +
      "of the partners doesn't exist, none is removed.",
    ...proposable(withJsonBody(programMember("admin"))),
    request: { params: ProgramPath, body: body(Partners) },
    responses: {
      ...returns("The partners", z.object({ data: z.object({ partnerIds: z.array(id()) }) })),
      ...refusals([...proposableRefusals, "too_many_memberships"]),
    },
  }),
  handler: async (c) => {
    const partnerIds = [...new Set(c.req.valid("json").partnerIds)];
    const remove = { ...actingMember(c), kind: "add-to-group", groupId: null, partnerIds } as const;
    const outcome = await runOperation(c, remove);
    return outcome.ok ? c.json({ data: { partnerIds } }, 200) : refuse(c, outcome.refusal);
  },
});

export const addPartnersToGroup = endpoint({
  route: createRoute({
    method: "post",
    path: "/programs/{programId}/groups/{groupId}/partners",
    operationId: "addPartnersToGroup",
    tags: ["Management"],
    summary: "Add partners to a group",
    description:
      "Each partner leaves their previous group. The new group's policy applies to sales from now on; earlier " +
      "sales keep the group that the partner was in then. If any of the partners doesn't exist, none is added.",
    ...proposable(withJsonBody(programMember("admin"))),
    request: { params: GroupPath, body: body(Partners) },
    responses: {
      ...returns("The group", z.object({ data: groupRecord.schema })),
      ...refusals([...proposableRefusals, "too_many_memberships"]),
    },
  }),
  handler: async (c) => {
    const { groupId } = c.req.valid("param");
    const partnerIds = [...new Set(c.req.valid("json").partnerIds)];
    const add = { ...actingMember(c), kind: "add-to-group", groupId, partnerIds } as const;
    const outcome = await runOperation(c, add);
    if (!outcome.ok) return refuse(c, outcome.refusal);
    const group = await readGroup(c, add.programId, groupId);
    return group.ok ? c.json({ data: groupRecord.reply(group.value) }, 200) : refuse(c, group.refusal);
  },
});

import { caps } from "#domain/caps.ts";
import { createRoute, endpoint, returns, refusals, refuse } from "#http/endpoint.ts";
import { idCursor, newest, PageMeta } from "#http/schema/cursor.ts";
import * as fields from "#http/schema/form-fields.ts";
import * as z from "#http/schema/zod.ts";
import { listGroups as list } from "#store/views/groups.ts";
import { memberRefusals, programMember } from "../guards.ts";
import { ProgramPath } from "../params.ts";
import { readPage } from "#api/read-page.ts";
import { groupRecord } from "./group-record.ts";

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
    description: "With the number of their partners, and the policy that decides their sales.",
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

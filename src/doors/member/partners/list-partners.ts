import { createRoute, endpoint, returns, refusals, refuse } from "#http/endpoint.ts";
import { idCursor, newest, PageMeta } from "#http/schema/cursor.ts";
import * as fields from "#http/schema/form-fields.ts";
import * as z from "#http/schema/zod.ts";
import { listPartners as list } from "#store/views/partners.ts";
import { memberRefusals, programMember } from "../guards.ts";
import { ProgramPath } from "../params.ts";
import { readPage } from "#api/read-page.ts";
import { groupId, partnerSearch } from "../reports/query.ts";
import { seesEmails } from "../sees-emails.ts";
import { partnerRecord, partnerReply } from "./partner-record.ts";

const pageSize = 200;

const cursors = idCursor("partners");

const Query = z.object({
  search: partnerSearch(),
  groupId: groupId(),
  limit: fields.integerText("limit", 1, pageSize).default(pageSize),
  cursor: cursors.parameter(),
});

export const listPartners = endpoint({
  route: createRoute({
    method: "get",
    path: "/programs/{programId}/partners",
    operationId: "listPartners",
    tags: ["Management"],
    summary: "List a program's partners",
    description: "Includes paused partners. Only owners and admins get email addresses.",
    ...programMember("viewer"),
    request: { params: ProgramPath, query: Query },
    responses: {
      ...returns(
        `Partners, newest first, at most ${pageSize} per page`,
        z.object({ data: z.array(partnerRecord.schema), meta: PageMeta }),
      ),
      ...refusals([...memberRefusals, "invalid_input"]),
    },
  }),
  handler: async (c) => {
    const { search = "", groupId, limit, cursor: { id: before } = newest } = c.req.valid("query");
    const { id } = c.get("program");
    const inEmail = seesEmails(c.get("membership"));
    const found = await readPage(c, "program", { ...cursors, size: limit }, (database, rows) =>
      list(database, id, { text: search, inEmail, groupId }, { before, limit: rows }),
    );
    if (!found.ok) return refuse(c, found.refusal);
    const { page, meta } = found.value;
    return c.json({ data: page.map((partner) => partnerReply(partner, inEmail)), meta }, 200);
  },
});

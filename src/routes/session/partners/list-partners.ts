import { createRoute, endpoint, ok, refusals, refuse, refuseInvalid } from "../../../http/endpoint.ts";
import { idCursor, newest, PageMeta } from "../../../http/schema/cursor.ts";
import * as z from "../../../http/schema/zod.ts";
import { listPartners as list } from "../../../store/views/partners.ts";
import { memberRefusals, programMember } from "../guards.ts";
import { ProgramPath } from "../params.ts";
import { readPage } from "../read-page.ts";
import { PartnerReply, partnerReply } from "./partner-reply.ts";

const pageSize = 200;

const Query = z.object({ cursor: idCursor() });

export const listPartners = endpoint({
  route: createRoute({
    method: "get",
    path: "/programs/{programId}/partners",
    operationId: "listPartners",
    tags: ["Management"],
    summary: "List a program's partners",
    ...programMember("viewer"),
    request: { params: ProgramPath, query: Query },
    responses: {
      ...ok(`Partners, newest first, ${pageSize} per page`, z.object({ data: z.array(PartnerReply), meta: PageMeta })),
      ...refusals([...memberRefusals, "invalid_input"]),
    },
  }),
  hook: refuseInvalid(Query),
  handler: async (c) => {
    const { cursor = newest } = c.req.valid("query");
    const found = await readPage(c, pageSize, (database, limit) => list(database, c.get("program").id, cursor, limit));
    if (!found.ok) return refuse(c, found.refusal);
    const { page, meta } = found.value;
    return c.json({ data: page.map(partnerReply), meta }, 200);
  },
});

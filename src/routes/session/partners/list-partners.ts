import { createRoute } from "@hono/zod-openapi";
import { ok } from "../../../http/content.ts";
import { endpoint } from "../../../http/endpoint.ts";
import { refuse } from "../../../http/refusal/refuse.ts";
import { refusals } from "../../../http/refusal/responses.ts";
import { memberRefusals, sessionRefusals } from "../../../http/refusal/session-codes.ts";
import { refuseInvalid } from "../../../http/refusal/validation.ts";
import { idCursor, newest, PageMeta, pageOf } from "../../../http/schema/cursor.ts";
import * as z from "../../../http/schema/zod.ts";
import { listPartners as list } from "../../../store/views/partners.ts";
import { readFromDatabase } from "../../read-database.ts";
import { programMember } from "../guards.ts";
import { ProgramPath } from "../params.ts";
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
      ...refusals(undefined, [...memberRefusals, "invalid_input", ...sessionRefusals]),
    },
  }),
  hook: refuseInvalid(Query),
  handler: async (c) => {
    const { cursor = newest } = c.req.valid("query");
    const found = await readFromDatabase(c, (database) => list(database, c.get("program").id, cursor, pageSize + 1));
    if (!found.ok) return refuse(c, found.refusal);
    const { page, meta } = pageOf(found.value, pageSize);
    return c.json({ data: page.map(partnerReply), meta }, 200);
  },
});

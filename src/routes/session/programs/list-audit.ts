import { createRoute } from "@hono/zod-openapi";
import { ok } from "../../../http/content.ts";
import { endpoint } from "../../../http/endpoint.ts";
import { refuse } from "../../../http/refusal/refuse.ts";
import { refusals } from "../../../http/refusal/responses.ts";
import { memberRefusals, sessionRefusals } from "../../../http/refusal/session-codes.ts";
import { refuseInvalid } from "../../../http/refusal/validation.ts";
import { idCursor, newest, PageMeta, pageOf } from "../../../http/schema/cursor.ts";
import * as z from "../../../http/schema/zod.ts";
import { listAudit as list } from "../../../store/views/audit.ts";
import { readFromDatabase } from "../../read-database.ts";
import { AuditEntry, entryReply } from "../audit-entry-reply.ts";
import { programMember } from "../guards.ts";
import { ProgramPath } from "../params.ts";

const pageSize = 50;

const Query = z.object({ cursor: idCursor() });

export const listAudit = endpoint({
  route: createRoute({
    method: "get",
    path: "/programs/{programId}/audit",
    operationId: "listAudit",
    tags: ["Management"],
    summary: "List a program's audit entries",
    ...programMember("admin"),
    request: { params: ProgramPath, query: Query },
    responses: {
      ...ok(
        `Audit entries, newest first, ${pageSize} per page`,
        z.object({ data: z.array(AuditEntry), meta: PageMeta }),
      ),
      ...refusals(undefined, [...memberRefusals, "invalid_input", ...sessionRefusals]),
    },
  }),
  hook: refuseInvalid(Query),
  handler: async (c) => {
    const { cursor = newest } = c.req.valid("query");
    const found = await readFromDatabase(c, (database) => list(database, c.get("program").id, cursor, pageSize + 1));
    if (!found.ok) return refuse(c, found.refusal);
    const { page, meta } = pageOf(found.value, pageSize);
    return c.json({ data: page.map(entryReply), meta }, 200);
  },
});

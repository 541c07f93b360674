import { createRoute, endpoint, ok, refusals, refuse, refuseInvalid } from "../../../http/endpoint.ts";
import { idCursor, newest, PageMeta } from "../../../http/schema/cursor.ts";
import * as z from "../../../http/schema/zod.ts";
import { listAudit as list } from "../../../store/views/audit.ts";
import { AuditEntry, entryReply } from "../audit-entry-reply.ts";
import { memberRefusals, programMember } from "../guards.ts";
import { ProgramPath } from "../params.ts";
import { readPage } from "../read-page.ts";

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
      ...refusals([...memberRefusals, "invalid_input"]),
    },
  }),
  hook: refuseInvalid(Query),
  handler: async (c) => {
    const { cursor = newest } = c.req.valid("query");
    const found = await readPage(c, pageSize, (database, limit) => list(database, c.get("program").id, cursor, limit));
    if (!found.ok) return refuse(c, found.refusal);
    const { page, meta } = found.value;
    return c.json({ data: page.map(entryReply), meta }, 200);
  },
});

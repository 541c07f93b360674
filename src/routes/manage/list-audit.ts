import { createRoute } from "@hono/zod-openapi";
import { idCursor, newest, PageMeta, pageOf } from "../../http/cursor.ts";
import { ok } from "../../http/described.ts";
import { endpoint } from "../../http/endpoint.ts";
import { refuseFaults } from "../../http/faults.ts";
import { refusals } from "../../http/refusals.ts";
import { refuse } from "../../http/refuse.ts";
import { ofMembers, ofSession } from "../../http/session-refusals.ts";
import * as z from "../../http/zod.ts";
import { listAudit as list } from "../../store/audit.ts";
import { fromDatabase } from "../from-database.ts";
import { programMember } from "../session-access.ts";
import { AuditEntry, entryReply } from "./audit-entry.ts";
import { ProgramPath } from "./path.ts";

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
      ...refusals(undefined, [...ofMembers, "invalid_input", ...ofSession]),
    },
  }),
  hook: refuseFaults(Query),
  handler: async (c) => {
    const { cursor = newest } = c.req.valid("query");
    const found = await fromDatabase(c, (database) => list(database, c.get("program").id, cursor, pageSize + 1));
    if (!found.ok) return refuse(c, found.refusal);
    const { page, meta } = pageOf(found.value, pageSize);
    return c.json({ data: page.map(entryReply), meta }, 200);
  },
});

import { applicationStatuses } from "#domain/join-page.ts";
import { createRoute, endpoint, returns, refusals, refuse } from "#http/endpoint.ts";
import { idCursor, newest, PageMeta } from "#http/schema/cursor.ts";
import * as fields from "#http/schema/form-fields.ts";
import * as z from "#http/schema/zod.ts";
import { listApplications as list } from "#store/views/join-pages.ts";
import { memberRefusals, programMember } from "../guards.ts";
import { ProgramPath } from "../params.ts";
import { readPage } from "#api/read-page.ts";
import { applicationRecord } from "./join-record.ts";

const cursors = idCursor("applications");

const Query = z.object({
  status: fields.oneOf("status", applicationStatuses).optional(),
  cursor: cursors.parameter(),
});

export const listApplications = endpoint({
  route: createRoute({
    method: "get",
    path: "/programs/{programId}/applications",
    operationId: "listApplications",
    tags: ["Partners' access"],
    summary: "List applications",
    description: "The last one of each account, newest first, 50 per page.",
    ...programMember("viewer"),
    request: { params: ProgramPath, query: Query },
    responses: {
      ...returns("Applications", z.object({ data: z.array(applicationRecord.schema), meta: PageMeta })),
      ...refusals([...memberRefusals, "invalid_input"]),
    },
  }),
  handler: async (c) => {
    const { status = null, cursor: { id: before } = newest } = c.req.valid("query");
    const { id } = c.get("program");
    const found = await readPage(c, "program", { ...cursors, size: 50 }, (database, limit) =>
      list(database, id, { status, before, limit }),
    );
    if (!found.ok) return refuse(c, found.refusal);
    const { page, meta } = found.value;
    return c.json({ data: page.map(applicationRecord.reply), meta }, 200);
  },
});

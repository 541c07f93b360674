import { readFromDatabase } from "#api/read-database.ts";
import { createRoute, endpoint, returns, refusals, refuse } from "#http/endpoint.ts";
import { cursorOf, PageMeta } from "#http/schema/cursor.ts";
import * as z from "#http/schema/zod.ts";
import { listTerms as list } from "#store/views/join-pages.ts";
import { memberRefusals, programMember } from "../guards.ts";
import { ProgramPath } from "../params.ts";
import { Terms, termsReply } from "./join-record.ts";

const size = 50;
const cursors = cursorOf("terms", { version: z.int().positive() });

export const listTerms = endpoint({
  route: createRoute({
    method: "get",
    path: "/programs/{programId}/terms",
    operationId: "listPartnerTerms",
    tags: ["Partners' access"],
    summary: "List the versions of the terms for partners",
    description: "Newest first. A version never changes.",
    ...programMember("viewer"),
    request: { params: ProgramPath, query: z.object({ cursor: cursors.parameter() }) },
    responses: {
      ...returns("Versions", z.object({ data: z.array(Terms), meta: PageMeta })),
      ...refusals([...memberRefusals, "invalid_input"]),
    },
  }),
  handler: async (c) => {
    const { cursor } = c.req.valid("query");
    const { id } = c.get("program");
    const before = cursor?.version ?? Number.MAX_SAFE_INTEGER;
    const found = await readFromDatabase(c, "program", (database) => list(database, id, { before, limit: size + 1 }));
    if (!found.ok) return refuse(c, found.refusal);
    const { page, meta } = cursors.pageOf(found.value, size, ({ version }) => ({ version }));
    return c.json({ data: page.map(termsReply), meta }, 200);
  },
});

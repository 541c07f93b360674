import { createRoute, endpoint, returns, refusals, refuse } from "#http/endpoint.ts";
import { idCursor, newest, PageMeta } from "#http/schema/cursor.ts";
import * as z from "#http/schema/zod.ts";
import { listKeys } from "#store/views/programs.ts";
import { memberRefusals, programMember } from "../guards.ts";
import { ProgramPath } from "../params.ts";
import { readPage } from "#api/read-page.ts";
import { apiKeyRecord, apiKeyReply } from "./key-record.ts";

const size = 50;
const cursors = idCursor("api-keys");

export const listApiKeys = endpoint({
  route: createRoute({
    method: "get",
    path: "/programs/{programId}/api-keys",
    operationId: "listApiKeys",
    tags: ["Management"],
    summary: "List a program's API keys",
    description: "Without their secrets. Includes the keys that were retired last.",
    ...programMember("owner"),
    request: { params: ProgramPath, query: z.object({ cursor: cursors.parameter() }) },
    responses: {
      ...returns(
        `API keys, newest first, ${size} per page`,
        z.object({ data: z.array(apiKeyRecord.schema), meta: PageMeta }),
      ),
      ...refusals([...memberRefusals, "invalid_input"]),
    },
  }),
  handler: async (c) => {
    const { cursor: { id: before } = newest } = c.req.valid("query");
    const found = await readPage(c, "program", { ...cursors, size }, (database, limit) =>
      listKeys(database, c.get("program").id, { before, limit }),
    );
    if (!found.ok) return refuse(c, found.refusal);
    const { page, meta } = found.value;
    return c.json({ data: page.map(apiKeyReply), meta }, 200);
  },
});

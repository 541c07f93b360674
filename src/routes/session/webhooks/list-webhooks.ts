import { createRoute, endpoint, ok, refusals, refuse } from "#http/endpoint.ts";
import * as z from "#http/schema/zod.ts";
import { listWebhooks as list } from "#store/views/webhooks.ts";
import { readFromDatabase } from "../../read-database.ts";
import { memberRefusals, programMember } from "../guards.ts";
import { ProgramPath } from "../params.ts";
import { webhookRecord } from "./webhook-record.ts";

export const listWebhooks = endpoint({
  route: createRoute({
    method: "get",
    path: "/programs/{programId}/webhooks",
    operationId: "listWebhooks",
    tags: ["Management"],
    summary: "List webhooks",
    description: "With how far each has come.",
    ...programMember("viewer"),
    request: { params: ProgramPath },
    responses: {
      ...ok("Webhooks, the first created first", z.object({ data: z.array(webhookRecord.schema) })),
      ...refusals(memberRefusals),
    },
  }),
  handler: async (c) => {
    const found = await readFromDatabase(c, "program", (database) => list(database, c.get("program").id));
    return found.ok ? c.json({ data: found.value.map(webhookRecord.reply) }, 200) : refuse(c, found.refusal);
  },
});

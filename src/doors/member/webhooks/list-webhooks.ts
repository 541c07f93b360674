import { readFromDatabase } from "#api/read-database.ts";
import { maskUrl } from "#domain/mask-url.ts";
import { mayActAs } from "#domain/role.ts";
import { createRoute, endpoint, returns, refusals, refuse } from "#http/endpoint.ts";
import * as z from "#http/schema/zod.ts";
import { listWebhooks as list, type WebhookView } from "#store/views/webhooks.ts";
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
      ...returns("Webhooks, the first created first", z.object({ data: z.array(webhookRecord.schema) })),
      ...refusals(memberRefusals),
    },
  }),
  handler: async (c) => {
    const found = await readFromDatabase(c, "program", (database) => list(database, c.get("program").id));
    if (!found.ok) return refuse(c, found.refusal);
    const seesUrls = mayActAs(c.get("membership").role, "admin");
    const shown = (webhook: WebhookView) => (seesUrls ? webhook : { ...webhook, url: maskUrl(webhook.url) });
    return c.json({ data: found.value.map((webhook) => webhookRecord.reply(shown(webhook))) }, 200);
  },
});

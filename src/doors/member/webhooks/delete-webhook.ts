import { runOperation } from "#http/call-ledger.ts";
import { createRoute, endpoint, returns, refusals, refuse } from "#http/endpoint.ts";
import { readId } from "#http/schema/id.ts";
import { id } from "#http/schema/integers.ts";
import * as z from "#http/schema/zod.ts";
import { actingMember } from "../actor.ts";
import { memberWriteRefusals, programMember } from "../guards.ts";
import { WebhookPath } from "../params.ts";

export const deleteWebhook = endpoint({
  route: createRoute({
    method: "delete",
    path: "/programs/{programId}/webhooks/{webhookId}",
    operationId: "deleteWebhook",
    tags: ["Management"],
    summary: "Delete a webhook",
    description: "What it waits for is not sent any more.",
    ...programMember("admin"),
    request: { params: WebhookPath },
    responses: {
      ...returns("Webhook deleted", z.object({ data: z.object({ id: id(), deleted: z.literal(true) }) })),
      ...refusals(memberWriteRefusals),
    },
  }),
  handler: async (c) => {
    const webhookId = readId(c.req.valid("param").webhookId);
    if (webhookId === undefined) return refuse(c, { code: "not_found", what: "webhook" });
    const remove = { ...actingMember(c), kind: "delete-webhook", webhookId } as const;
    const removed = await runOperation(c, remove);
    return removed.ok ? c.json({ data: { id: webhookId, deleted: true } as const }, 200) : refuse(c, removed.refusal);
  },
});

import { runOperation } from "#http/call-ledger.ts";
import { body, createRoute, endpoint, returns, refusals, refuse, withJsonBody } from "#http/endpoint.ts";
import { readId } from "#http/schema/id.ts";
import * as z from "#http/schema/zod.ts";
import { actingMember } from "../actor.ts";
import { inputRefusals, memberWriteRefusals, programMember, reauthenticated } from "../guards.ts";
import { WebhookPath } from "../params.ts";
import { isAllowed, readWebhook, WebhookChanges, webhookRecord } from "./webhook-record.ts";

export const updateWebhook = endpoint({
  route: createRoute({
    method: "patch",
    path: "/programs/{programId}/webhooks/{webhookId}",
    operationId: "updateWebhook",
    tags: ["Management"],
    summary: "Change, disable or enable a webhook",
    description:
      "One that is enabled gets what happens from then on, and what waited when it was disabled. What happened in between is sent by a replay. A new `url` gets an example first, and what happens from then on once it has answered that with 2xx. Changing `url` requires that you signed in or reauthenticated recently.",
    ...reauthenticated(withJsonBody(programMember("admin")), "url"),
    request: { params: WebhookPath, body: body(WebhookChanges) },
    responses: {
      ...returns("The updated webhook", z.object({ data: webhookRecord.schema })),
      ...refusals(["reauthenticate", ...memberWriteRefusals, ...inputRefusals, "url_not_allowed", "program_archived"]),
    },
  }),
  handler: async (c) => {
    const webhookId = readId(c.req.valid("param").webhookId);
    if (webhookId === undefined) return refuse(c, { code: "not_found", what: "webhook" });
    const { types, ...others } = c.req.valid("json");
    if (others.url !== undefined && !isAllowed(c, others.url)) return refuse(c, { code: "url_not_allowed" });
    const changes = { ...others, types: types && JSON.stringify(types) };
    const update = { ...actingMember(c), kind: "update-webhook", webhookId, changes } as const;
    const updated = await runOperation(c, update);
    if (!updated.ok) return refuse(c, updated.refusal);
    const found = await readWebhook(c, update.programId, webhookId);
    return found.ok ? c.json({ data: webhookRecord.reply(found.value) }, 200) : refuse(c, found.refusal);
  },
});

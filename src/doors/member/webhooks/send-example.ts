import { exampleId } from "#domain/webhooks.ts";
import { runOperation } from "#http/call-ledger.ts";
import { accepted, body, createRoute, endpoint, refusals, refuse, withJsonBody } from "#http/endpoint.ts";
import * as fields from "#http/schema/form-fields.ts";
import { readId } from "#http/schema/id.ts";
import * as z from "#http/schema/zod.ts";
import { actingMember } from "../actor.ts";
import { inputRefusals, memberWriteRefusals, programMember } from "../guards.ts";
import { WebhookPath } from "../params.ts";
import { exampleTypes } from "./webhook-record.ts";

const Example = z
  .object({ type: fields.oneOf("type", exampleTypes as [string, ...string[]]) })
  .openapi("WebhookExample");

export const sendExample = endpoint({
  route: createRoute({
    method: "post",
    path: "/programs/{programId}/webhooks/{webhookId}/example",
    operationId: "sendExample",
    tags: ["Management"],
    summary: "Send an example event",
    description:
      "Of things that don't exist. It is in the deliveries, and not in the feed. It takes the place of an earlier one that waits for another attempt.",
    ...withJsonBody(programMember("admin")),
    request: { params: WebhookPath, body: body(Example) },
    responses: {
      ...accepted("It is sent soon", z.object({ data: z.object({ eventId: z.string() }) })),
      ...refusals([...memberWriteRefusals, ...inputRefusals, "webhook_disabled", "program_archived"]),
    },
  }),
  handler: async (c) => {
    const webhookId = readId(c.req.valid("param").webhookId);
    if (webhookId === undefined) return refuse(c, { code: "not_found", what: "webhook" });
    const { type } = c.req.valid("json");
    const member = actingMember(c);
    const eventId = exampleId(member.operationId);
    const send = { ...member, kind: "redeliver", webhookId, eventId, type, seq: null } as const;
    const sent = await runOperation(c, send);
    return sent.ok ? c.json({ data: { eventId } }, 202) : refuse(c, sent.refusal);
  },
});

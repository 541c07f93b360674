import { readFromDatabase } from "#api/read-database.ts";
import { seqOfEvent } from "#domain/event.ts";
import { runOperation } from "#http/call-ledger.ts";
import { accepted, createRoute, endpoint, refusals, refuse } from "#http/endpoint.ts";
import { readId } from "#http/schema/id.ts";
import * as z from "#http/schema/zod.ts";
import { typeOfEvent } from "#store/views/webhooks.ts";
import { actingMember } from "../actor.ts";
import { memberWriteRefusals, programMember } from "../guards.ts";
import { DeliveryPath } from "../params.ts";
import { readWebhook } from "./webhook-record.ts";

export const retryDelivery = endpoint({
  route: createRoute({
    method: "post",
    path: "/programs/{programId}/webhooks/{webhookId}/deliveries/{eventId}/retry",
    operationId: "retryDelivery",
    tags: ["Management"],
    summary: "Send one event again",
    description: "Whatever became of it before. It must still be in the feed.",
    ...programMember("admin"),
    request: { params: DeliveryPath },
    responses: {
      ...accepted("It is sent soon", z.object({ data: z.object({ eventId: z.string() }) })),
      ...refusals([...memberWriteRefusals, "webhook_disabled", "webhook_unproved", "program_archived"]),
    },
  }),
  handler: async (c) => {
    const { webhookId: id, eventId } = c.req.valid("param");
    const webhookId = readId(id);
    if (webhookId === undefined) return refuse(c, { code: "not_found", what: "webhook" });
    const member = actingMember(c);
    const { programId } = member;
    const found = await readWebhook(c, programId, webhookId);
    if (!found.ok) return refuse(c, found.refusal);
    const book = { programId, isTest: found.value.testMode };
    const seq = seqOfEvent(book, eventId);
    if (seq === undefined) return refuse(c, { code: "not_found", what: "event" });
    const type = await readFromDatabase(c, "program", (database) => typeOfEvent(database, book, seq));
    if (!type.ok) return refuse(c, type.refusal);
    if (type.value === undefined) return refuse(c, { code: "not_found", what: "event" });
    const send = { ...member, kind: "redeliver", webhookId, eventId, type: type.value, seq } as const;
    const sent = await runOperation(c, send);
    return sent.ok ? c.json({ data: { eventId } }, 202) : refuse(c, sent.refusal);
  },
});

import { maxReplayed } from "#domain/webhooks.ts";
import { runOperation } from "#http/call-ledger.ts";
import { accepted, body, createRoute, endpoint, refusals, refuse, withJsonBody } from "#http/endpoint.ts";
import * as fields from "#http/schema/form-fields.ts";
import { readId } from "#http/schema/id.ts";
import * as z from "#http/schema/zod.ts";
import { actingMember } from "../actor.ts";
import { inputRefusals, memberWriteRefusals, programMember } from "../guards.ts";
import { WebhookPath } from "../params.ts";

const rangeRule = `toSeq must be from fromSeq to ${maxReplayed.toLocaleString("en-US")} events`;

const Replay = z
  .object({
    fromSeq: fields.integer("fromSeq", 1, Number.MAX_SAFE_INTEGER),
    toSeq: fields.integer("toSeq", 1, Number.MAX_SAFE_INTEGER).describe("Inclusive."),
  })
  .refine(
    ...fields.rule(
      ["toSeq"],
      rangeRule,
      ({ fromSeq, toSeq }: { fromSeq?: unknown; toSeq?: unknown }) =>
        Number(toSeq) >= Number(fromSeq) && Number(toSeq) - Number(fromSeq) < maxReplayed,
    ),
  )
  .openapi("Replay");

export const replayWebhook = endpoint({
  route: createRoute({
    method: "post",
    path: "/programs/{programId}/webhooks/{webhookId}/replay",
    operationId: "replayWebhook",
    tags: ["Management"],
    summary: "Send events again",
    description:
      "Those of these numbers that the feed still has and the webhook gets, with the ids that they had. A program has one replay at a time, of all its webhooks.",
    ...withJsonBody(programMember("admin")),
    request: { params: WebhookPath, body: body(Replay) },
    responses: {
      ...accepted("They are sent soon", z.object({ data: Replay })),
      ...refusals([
        ...([...memberWriteRefusals, ...inputRefusals] as const),
        ...(["webhook_disabled", "webhook_unproved", "too_many_replays", "program_archived"] as const),
      ]),
    },
  }),
  handler: async (c) => {
    const webhookId = readId(c.req.valid("param").webhookId);
    if (webhookId === undefined) return refuse(c, { code: "not_found", what: "webhook" });
    const range = c.req.valid("json");
    const replay = { ...actingMember(c), kind: "replay-webhook", webhookId, ...range } as const;
    const replayed = await runOperation(c, replay);
    return replayed.ok ? c.json({ data: range }, 202) : refuse(c, replayed.refusal);
  },
});

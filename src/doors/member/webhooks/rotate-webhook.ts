import { maxGraceHours } from "#domain/webhooks.ts";
import { runOperation } from "#http/call-ledger.ts";
import { body, created, createRoute, endpoint, refusals, refuse, withJsonBody } from "#http/endpoint.ts";
import * as fields from "#http/schema/form-fields.ts";
import { readId } from "#http/schema/id.ts";
import * as z from "#http/schema/zod.ts";
import { actingMember } from "../actor.ts";
import { inputRefusals, memberWriteRefusals, programMember, reauthenticated } from "../guards.ts";
import { WebhookPath } from "../params.ts";
import { newSecret, WithSecret, withSecret } from "./webhook-record.ts";

const defaultGraceHours = 24;

const Rotation = z
  .object({
    graceHours: fields
      .omittable(fields.integer("graceHours", 0, maxGraceHours))
      .describe(`For so long the former secret signs too. Defaults to ${defaultGraceHours}.`),
  })
  .openapi("WebhookRotation");

export const rotateWebhook = endpoint({
  route: createRoute({
    method: "post",
    path: "/programs/{programId}/webhooks/{webhookId}/rotate",
    operationId: "rotateWebhook",
    tags: ["Management"],
    summary: "Replace a webhook's secret",
    description:
      "Until the grace ends, each delivery has a signature of both secrets, the new one first. At most two former secrets sign.",
    ...reauthenticated(withJsonBody(programMember("admin"))),
    request: { params: WebhookPath, body: body(Rotation) },
    responses: {
      ...created("New secret", z.object({ data: WithSecret })),
      ...refusals(["reauthenticate", ...memberWriteRefusals, ...inputRefusals, "program_archived"]),
    },
  }),
  handler: async (c) => {
    const webhookId = readId(c.req.valid("param").webhookId);
    if (webhookId === undefined) return refuse(c, { code: "not_found", what: "webhook" });
    const { graceHours = defaultGraceHours } = c.req.valid("json");
    const member = actingMember(c);
    const secret = await newSecret(c, member.programId);
    const rotate = { ...member, kind: "rotate-webhook", webhookId, graceHours, secret } as const;
    const rotated = await runOperation(c, rotate);
    if (!rotated.ok) return refuse(c, rotated.refusal);
    const shown = await withSecret(c, member.programId, webhookId);
    return shown.ok ? c.json({ data: shown.value }, 201) : refuse(c, shown.refusal);
  },
});

import { runOperation } from "#http/call-ledger.ts";
import { body, created, createRoute, endpoint, refusals, refuse, withJsonBody } from "#http/endpoint.ts";
import * as z from "#http/schema/zod.ts";
import { actingMember } from "../actor.ts";
import { inputRefusals, memberWriteRefusals, programMember, reauthenticated } from "../guards.ts";
import { ProgramPath } from "../params.ts";
import { isAllowed, maxWebhooks, NewWebhook, newSecret, WithSecret, withSecret } from "./webhook-record.ts";

export const createWebhook = endpoint({
  route: createRoute({
    method: "post",
    path: "/programs/{programId}/webhooks",
    operationId: "createWebhook",
    tags: ["Management"],
    summary: "Create a webhook",
    description:
      `Events from now on are posted to it, signed with its secret, once it has answered an example with 2xx, which it gets first. A program can have ${maxWebhooks}. It stays when the member ` +
      "who created it leaves.",
    ...reauthenticated(withJsonBody(programMember("admin"))),
    request: { params: ProgramPath, body: body(NewWebhook) },
    responses: {
      ...created("Webhook created", z.object({ data: WithSecret })),
      ...refusals([
        ...(["reauthenticate", ...memberWriteRefusals, ...inputRefusals] as const),
        ...(["url_not_allowed", "webhooks_full", "program_archived"] as const),
      ]),
    },
  }),
  handler: async (c) => {
    const { url, description = "", types = null, testMode = false } = c.req.valid("json");
    if (!isAllowed(c, url)) return refuse(c, { code: "url_not_allowed" });
    const member = actingMember(c);
    const secret = await newSecret(c, member.programId);
    const create = { ...member, kind: "create-webhook", url, description, types, testMode, secret } as const;
    const made = await runOperation(c, create);
    if (!made.ok) return refuse(c, made.refusal);
    const shown = await withSecret(c, member.programId, made.answer.webhookId);
    return shown.ok ? c.json({ data: shown.value }, 201) : refuse(c, shown.refusal);
  },
});

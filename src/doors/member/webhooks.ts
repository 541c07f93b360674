import { countExample } from "#api/account-limits.ts";
import { wantedTypes } from "#api/feed.ts";
import { readFromDatabase } from "#api/read-database.ts";
import { caps } from "#domain/caps.ts";
import { decryptData, encryptData, ivBytes } from "#domain/encrypted-data.ts";
import { eventTypes } from "#domain/event-type.ts";
import type { ProgramId, WebhookId } from "#domain/ids.ts";
import { maskUrl } from "#domain/mask-url.ts";
import { notFound, ok, type Result, refused } from "#domain/result.ts";
import { mayActAs } from "#domain/role.ts";
import { webhookDisablers, webhookStatuses } from "#domain/webhook-status.ts";
import { isUrlAllowed, maxGraceHours, mintWebhookSecret, secretContext } from "#domain/webhooks.ts";
import { baseUrlOf, dataKeysOf, webhookRangesOf } from "#env.ts";
import { runOperation } from "#http/call-ledger.ts";
import type { Ctx } from "#http/context.ts";
import { body, created, createRoute, endpoint, refusals, refuse, returns, withJsonBody } from "#http/endpoint.ts";
import * as fields from "#http/schema/form-fields.ts";
import { id, int64 } from "#http/schema/integers.ts";
import { instant, instantOrNull, record } from "#http/schema/record.ts";
import * as z from "#http/schema/zod.ts";
import { originOf } from "#http/transport.ts";
import type { SealedSecret } from "#operations/webhooks/create-webhook.ts";
import { findWebhook, listWebhooks as list, type WebhookView } from "#store/views/webhooks.ts";
import { actingMember } from "./actor.ts";
import {
  inputRefusals,
  memberRefusals,
  memberWriteRefusals,
  programMember,
  reauthenticated,
  unlessRemoved,
} from "./guards.ts";
import { ProgramPath, WebhookPath } from "./params.ts";

const webhookRecord = record("Webhook", {
  id: id(),
  url: z.string().describe("For viewers, only the host and the last four characters."),
  description: z.string(),
  types: z.array(z.string()).nullable().describe("Types of events that the webhook receives. Null means all."),
  testMode: z.boolean().describe("True if the webhook receives test events instead of live ones."),
  status: z.enum(webhookStatuses),
  disabledBy: z
    .enum(webhookDisablers)
    .nullable()
    .describe(
      "`member`: a member of the workspace. `failures`: the service, because every delivery of five days failed, or because the example failed ten times at an address that never responded with 2xx.",
    ),
  disabledAt: instantOrNull(),
  lastSeq: int64().describe(
    "Number of the last event that was processed: its delivery was attempted, it isn't of a type that the webhook receives, or it is queued until the webhook is enabled.",
  ),
  newestSeq: int64().describe("Number of the newest event in the feed."),
  waiting: int64().describe("Number of events waiting for another attempt."),
  failed: int64().describe("Number of events given up in the last seven days."),
  failingSince: instantOrNull("Time of the first failure since the last successful delivery."),
  provedAt: instantOrNull(
    "Time of the first 2xx response from `url`. Null until then: only examples are sent, and events wait.",
  ),
  createdAt: instant(),
});

const WithSecret = webhookRecord.schema
  .extend({ secret: z.string().describe("Secret that signs deliveries. Shown only once.") })
  .openapi("WebhookWithSecret");

const typesRule = "types must be an array of event types. A type of commissions may end with :<status>";

const types = () =>
  z
    .array(z.string(typesRule), typesRule)
    .min(1, typesRule)
    .max(wantedTypes.length, typesRule)
    .refine((all) => all.every((type) => wantedTypes.includes(type)), typesRule)
    .nullish()
    .describe("Types of events that the webhook receives. Null means all.");

const shared = {
  description: fields.omittable(fields.text("description")),
  types: types(),
};

const NewWebhook = z
  .object({
    url: fields.nonBlank("url", 2_048),
    ...shared,
    testMode: fields.omittable(z.boolean("testMode must be true or false")),
  })
  .openapi("NewWebhook");

const WebhookChanges = z
  .object({
    url: fields.omittable(fields.nonBlank("url", 2_048)),
    ...shared,
    status: fields.omittable(fields.oneOf("status", webhookStatuses)),
  })
  .openapi("WebhookChanges");

export const exampleTypes = eventTypes.filter((type) => type !== "feed.restarted");

const maxWebhooks = caps.webhooks.max;

function isAllowed(c: Ctx, url: string): boolean {
  const own = [originOf(c), baseUrlOf(c.env)].filter((origin) => origin !== undefined);
  return isUrlAllowed(url, own, webhookRangesOf(c.env));
}

async function newSecret(c: Ctx, programId: ProgramId): Promise<SealedSecret> {
  const random = (bytes: number) => crypto.getRandomValues(new Uint8Array(bytes));
  const sealId = Buffer.from(random(16)).toString("base64url");
  const plain = mintWebhookSecret(random(32));
  return {
    sealId,
    sealed: await encryptData(dataKeysOf(c.env), secretContext({ programId, sealId }), plain, random(ivBytes)),
  };
}

export async function readWebhook(c: Ctx, programId: ProgramId, id: WebhookId): Promise<Result<WebhookView>> {
  const found = await readFromDatabase(c, "program", (database) => findWebhook(database, programId, id));
  if (!found.ok) return found;
  return found.value.webhook === undefined ? refused(notFound("webhook")) : ok(found.value.webhook);
}

/** Returns the reply to the creation of a webhook, also to a repeated call. The reply contains the secret. */
async function withSecret(c: Ctx, programId: ProgramId, id: WebhookId): Promise<Result<z.output<typeof WithSecret>>> {
  const found = await readFromDatabase(c, "program", (database) => findWebhook(database, programId, id));
  if (!found.ok) return found;
  const { webhook, secret } = found.value;
  if (webhook === undefined || secret === undefined) return refused(notFound("webhook"));
  const context = secretContext({ programId, sealId: secret.sealId });
  const plain = await decryptData(dataKeysOf(c.env), context, secret.sealed);
  if (plain === undefined) throw new Error("no data key opens a webhook's secret");
  return ok({ ...webhookRecord.reply(webhook), secret: plain });
}

export const listWebhooks = endpoint({
  route: createRoute({
    method: "get",
    path: "/programs/{programId}/webhooks",
    operationId: "listWebhooks",
    tags: ["Management"],
    summary: "List webhooks",
    description: "Lists webhooks, each with the number of the last event that it has processed.",
    ...programMember("viewer"),
    request: { params: ProgramPath },
    responses: {
      ...returns("Webhooks, oldest first", z.object({ data: z.array(webhookRecord.schema) })),
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

export const createWebhook = endpoint({
  route: createRoute({
    method: "post",
    path: "/programs/{programId}/webhooks",
    operationId: "createWebhook",
    tags: ["Management"],
    summary: "Create a webhook",
    description:
      "Sends an example first. Once the address has responded to it with 2xx, events from the creation on are posted to it, " +
      `signed with its secret. A program can have ${maxWebhooks} webhooks. A webhook keeps working after its creator leaves.`,
    ...reauthenticated(withJsonBody(programMember("admin"))),
    request: { params: ProgramPath, body: body(NewWebhook) },
    responses: {
      ...created("Webhook created", z.object({ data: WithSecret })),
      ...refusals([
        "reauthenticate",
        ...memberWriteRefusals,
        ...inputRefusals,
        "url_not_allowed",
        "webhooks_full",
        "program_archived",
      ]),
    },
  }),
  handler: async (c) => {
    const { url, description = "", types = null, testMode = false } = c.req.valid("json");
    if (!isAllowed(c, url)) return refuse(c, { code: "url_not_allowed" });
    const member = actingMember(c);
    const overLimit = await countExample(c, member.programId, member.actorId);
    if (overLimit !== undefined) return refuse(c, overLimit);
    const secret = await newSecret(c, member.programId);
    const create = { ...member, kind: "create-webhook", url, description, types, testMode, secret } as const;
    const made = await unlessRemoved(c, await runOperation(c, create));
    if (!made.ok) return refuse(c, made.refusal);
    const shown = await withSecret(c, member.programId, made.value.webhookId);
    return shown.ok ? c.json({ data: shown.value }, 201) : refuse(c, shown.refusal);
  },
});

/** The webhook was disabled because its URL never answered the first example. Enabling it sends another example. */
export const isUnanswered = ({ disabledBy, provedAt }: WebhookView): boolean =>
  disabledBy === "failures" && provedAt === null;

function revised(
  webhook: WebhookView,
  changes: {
    readonly url: string | undefined;
    readonly status: WebhookView["status"] | undefined;
  },
) {
  const { url = webhook.url, status = isUnanswered(webhook) && url !== webhook.url ? "active" : webhook.status } =
    changes;
  const isEnabled = webhook.status === "disabled" && webhook.provedAt === null;
  return { status, getsExample: status === "active" && (url !== webhook.url || isEnabled) };
}

export const updateWebhook = endpoint({
  route: createRoute({
    method: "patch",
    path: "/programs/{programId}/webhooks/{webhookId}",
    operationId: "updateWebhook",
    tags: ["Management"],
    summary: "Change, disable or enable a webhook",
    description:
      "An enabled webhook receives new events, and those that were waiting when it was disabled. Use a replay to send the events in between. A new `url` receives an example first, and events from then on once it has responded with 2xx. Changing `url` requires that you signed in or reauthenticated recently.",
    ...reauthenticated(withJsonBody(programMember("admin")), "url"),
    request: { params: WebhookPath, body: body(WebhookChanges) },
    responses: {
      ...returns("The updated webhook", z.object({ data: webhookRecord.schema })),
      ...refusals(["reauthenticate", ...memberWriteRefusals, ...inputRefusals, "url_not_allowed", "program_archived"]),
    },
  }),
  handler: async (c) => {
    const { webhookId } = c.req.valid("param");
    const { types, ...others } = c.req.valid("json");
    if (others.url !== undefined && !isAllowed(c, others.url)) return refuse(c, { code: "url_not_allowed" });
    const before = await readWebhook(c, c.get("program").id, webhookId);
    if (!before.ok) return refuse(c, before.refusal);
    const { status, getsExample } = revised(before.value, others);
    const member = actingMember(c);
    const overLimit = getsExample ? await countExample(c, member.programId, member.actorId) : undefined;
    if (overLimit !== undefined) return refuse(c, overLimit);
    const changes = { ...others, status, types: types && JSON.stringify(types) };
    const update = { ...member, kind: "update-webhook", webhookId, changes } as const;
    const updated = await runOperation(c, update);
    if (!updated.ok) return refuse(c, updated.refusal);
    const found = await readWebhook(c, update.programId, webhookId);
    return found.ok ? c.json({ data: webhookRecord.reply(found.value) }, 200) : refuse(c, found.refusal);
  },
});

const defaultGraceHours = 24;

const Rotation = z
  .object({
    graceHours: fields
      .omittable(fields.integer("graceHours", 0, maxGraceHours))
      .describe(`Hours for which the previous secret also signs deliveries. Defaults to ${defaultGraceHours}.`),
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
      "Until the grace period ends, each delivery is signed with both secrets, the new one first. At most two previous secrets sign.",
    ...reauthenticated(withJsonBody(programMember("admin"))),
    request: { params: WebhookPath, body: body(Rotation) },
    responses: {
      ...created("New secret", z.object({ data: WithSecret })),
      ...refusals(["reauthenticate", ...memberWriteRefusals, ...inputRefusals, "program_archived"]),
    },
  }),
  handler: async (c) => {
    const { webhookId } = c.req.valid("param");
    const { graceHours = defaultGraceHours } = c.req.valid("json");
    const member = actingMember(c);
    const secret = await newSecret(c, member.programId);
    const rotate = { ...member, kind: "rotate-webhook", webhookId, graceHours, secret } as const;
    const rotated = await unlessRemoved(c, await runOperation(c, rotate));
    if (!rotated.ok) return refuse(c, rotated.refusal);
    const shown = await withSecret(c, member.programId, webhookId);
    return shown.ok ? c.json({ data: shown.value }, 201) : refuse(c, shown.refusal);
  },
});

export const deleteWebhook = endpoint({
  route: createRoute({
    method: "delete",
    path: "/programs/{programId}/webhooks/{webhookId}",
    operationId: "deleteWebhook",
    tags: ["Management"],
    summary: "Delete a webhook",
    description: "Events that were waiting are no longer sent.",
    ...programMember("admin"),
    request: { params: WebhookPath },
    responses: {
      ...returns("Webhook deleted", z.object({ data: z.object({ id: id(), deleted: z.literal(true) }) })),
      ...refusals(memberWriteRefusals),
    },
  }),
  handler: async (c) => {
    const { webhookId } = c.req.valid("param");
    const remove = { ...actingMember(c), kind: "delete-webhook", webhookId } as const;
    const removed = await runOperation(c, remove);
    return removed.ok ? c.json({ data: { id: webhookId, deleted: true } as const }, 200) : refuse(c, removed.refusal);
  },
});

import { wantedTypes } from "#api/feed.ts";
import { readFromDatabase } from "#api/read-database.ts";
import { caps } from "#domain/caps.ts";
import { decryptData, encryptData, ivBytes } from "#domain/encrypted-data.ts";
import { eventTypes } from "#domain/event-type.ts";
import type { ProgramId, WebhookId } from "#domain/ids.ts";
import { ok, type Result, refused } from "#domain/result.ts";
import { webhookDisablers, webhookStatuses } from "#domain/webhook-status.ts";
import { isUrlAllowed, mintWebhookSecret, secretContext } from "#domain/webhooks.ts";
import { baseUrlOf, dataKeysOf, webhookRangesOf } from "#env.ts";
import type { Ctx } from "#http/context.ts";
import * as fields from "#http/schema/form-fields.ts";
import { id, int64 } from "#http/schema/integers.ts";
import { instant, instantOrNull, record } from "#http/schema/record.ts";
import * as z from "#http/schema/zod.ts";
import { originOf } from "#http/transport.ts";
import type { SealedSecret } from "#operations/webhooks/create-webhook.ts";
import { findWebhook, type WebhookView } from "#store/views/webhooks.ts";

export const webhookRecord = record("Webhook", {
  id: id(),
  url: z.string().describe("For viewers the host and the last four characters."),
  description: z.string(),
  types: z.array(z.string()).nullable().describe("Null: all types."),
  testMode: z.boolean().describe("It gets test events instead of live ones."),
  status: z.enum(webhookStatuses),
  disabledBy: z
    .enum(webhookDisablers)
    .nullable()
    .describe("`member`: a member of the workspace. `failures`: the service, after five days with failures only."),
  disabledAt: instantOrNull(),
  lastSeq: int64().describe(
    "Number of the last event that was attempted, that it doesn't get, or that is sent once it is enabled.",
  ),
  newestSeq: int64().describe("Number of the newest event in the feed."),
  waiting: int64().describe("Events that are attempted again."),
  failed: int64().describe("Events that were given up in the last days."),
  failingSince: instantOrNull("First of the failures since the last delivery."),
  provedAt: instantOrNull(
    "First time that `url` answered with 2xx. Null: until then it only gets examples, and events wait.",
  ),
  createdAt: instant(),
});

export const WithSecret = webhookRecord.schema
  .extend({ secret: z.string().describe("Signs deliveries. It is shown once.") })
  .openapi("WebhookWithSecret");

const typesRule = "types must be an array of event types, each of commissions with :<status> after it if wanted";

const types = () =>
  z
    .array(z.string(typesRule), typesRule)
    .min(1, typesRule)
    .max(wantedTypes.length, typesRule)
    .refine((all) => all.every((type) => wantedTypes.includes(type)), typesRule)
    .nullish()
    .describe("Null: all types.");

const shared = {
  description: fields.omittable(fields.text("description")),
  types: types(),
};

export const NewWebhook = z
  .object({
    url: fields.nonBlank("url", 2_048),
    ...shared,
    testMode: fields.omittable(z.boolean("testMode must be true or false")),
  })
  .openapi("NewWebhook");

export const WebhookChanges = z
  .object({
    url: fields.omittable(fields.nonBlank("url", 2_048)),
    ...shared,
    status: fields.omittable(fields.oneOf("status", webhookStatuses)),
  })
  .openapi("WebhookChanges");

export const exampleTypes = eventTypes.filter((type) => type !== "feed.restarted");

export const maxWebhooks = caps.webhooks.max;

export function isAllowed(c: Ctx, url: string): boolean {
  const own = [originOf(c), baseUrlOf(c.env)].filter((origin) => origin !== undefined);
  return isUrlAllowed(url, own, webhookRangesOf(c.env));
}

export async function newSecret(c: Ctx, programId: ProgramId): Promise<SealedSecret> {
  const random = (bytes: number) => crypto.getRandomValues(new Uint8Array(bytes));
  const sealId = Buffer.from(random(16)).toString("base64url");
  const plain = mintWebhookSecret(random(32));
  return {
    sealId,
    sealed: await encryptData(dataKeysOf(c.env), secretContext({ programId, sealId }), plain, random(ivBytes)),
  };
}

const noWebhook = { code: "not_found", what: "webhook" } as const;

export async function readWebhook(c: Ctx, programId: ProgramId, id: WebhookId): Promise<Result<WebhookView>> {
  const found = await readFromDatabase(c, "program", (database) => findWebhook(database, programId, id));
  if (!found.ok) return found;
  return found.value.webhook === undefined ? refused(noWebhook) : ok(found.value.webhook);
}

/** Right after it was made: also of a call that was sent again. */
export async function withSecret(
  c: Ctx,
  programId: ProgramId,
  id: WebhookId,
): Promise<Result<z.output<typeof WithSecret>>> {
  const found = await readFromDatabase(c, "program", (database) => findWebhook(database, programId, id));
  if (!found.ok) return found;
  const { webhook, secret } = found.value;
  if (webhook === undefined || secret === undefined) return refused(noWebhook);
  const context = secretContext({ programId, sealId: secret.sealId });
  const plain = await decryptData(dataKeysOf(c.env), context, secret.sealed);
  if (plain === undefined) throw new Error("no data key opens a webhook's secret");
  return ok({ ...webhookRecord.reply(webhook), secret: plain });
}

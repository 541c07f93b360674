import { countExample } from "#api/account-limits.ts";
import { FeedParams, FeedReply, feedPage, feedRefusals } from "#api/feed.ts";
import { readFromDatabase } from "#api/read-database.ts";
import type { LoggedAttempt } from "#deliver/rpc.ts";
import { seqOfEvent } from "#domain/event.ts";
import type { ProgramId } from "#domain/ids.ts";
import { notFound } from "#domain/result.ts";
import { type DeliveryStatus, deliveryStatuses } from "#domain/webhook-status.ts";
import { exampleId, maxReplayed } from "#domain/webhooks.ts";
import { webhookSenderOf } from "#env.ts";
import { runOperation } from "#http/call-ledger.ts";
import type { Ctx } from "#http/context.ts";
import { accepted, body, createRoute, endpoint, refusals, refuse, returns, withJsonBody } from "#http/endpoint.ts";
import { cursorOf } from "#http/schema/cursor.ts";
import * as fields from "#http/schema/form-fields.ts";
import { int32, int64 } from "#http/schema/integers.ts";
import { instant, record } from "#http/schema/record.ts";
import * as z from "#http/schema/zod.ts";
import { givenUpOf, listOpenDeliveries, typeOfEvent } from "#store/views/webhooks.ts";
import { actingMember } from "./actor.ts";
import { inputRefusals, memberRefusals, memberWriteRefusals, programMember } from "./guards.ts";
import { DeliveryPath, ProgramPath, WebhookPath } from "./params.ts";
import { exampleTypes, isUnanswered, readWebhook } from "./webhooks.ts";

const pageSize = 50;

const attemptRecord = record("DeliveryAttempt", {
  at: instant(),
  status: int32().nullable().describe("Status of the response. Null if there was none."),
  durationMs: int32(),
  response: z.string().describe("Beginning of the response, or the reason why there was none."),
});

const Delivery = z
  .object({
    eventId: z.string(),
    seq: int64().nullable().describe("Number of the event. Null for an example."),
    type: z.string(),
    status: z.enum(deliveryStatuses),
    attempts: z
      .array(attemptRecord.schema)
      .describe("Attempts of the last seven days, earliest first. Some may be missing."),
  })
  .openapi("Delivery");

const cursors = cursorOf("deliveries", { position: z.int(), eventId: z.string() });

const Query = z.object({
  status: fields.oneOf("status", deliveryStatuses).optional(),
  cursor: cursors.parameter(),
});
type Cursor = z.output<typeof Query>["cursor"];

interface Listed {
  readonly eventId: string;
  readonly seq: number | null;
  readonly type: string;
  readonly status: DeliveryStatus;
  readonly attempts: readonly LoggedAttempt[];
  readonly position: number;
}

export const listDeliveries = endpoint({
  route: createRoute({
    method: "get",
    path: "/programs/{programId}/webhooks/{webhookId}/deliveries",
    operationId: "listDeliveries",
    tags: ["Management"],
    summary: "List a webhook's deliveries",
    description:
      "Lists the deliveries of the last seven days, most recently attempted first. With `status=waiting` or `status=failed`, lists all deliveries that wait for another attempt, or that were given up.",
    ...programMember("viewer"),
    request: { params: WebhookPath, query: Query },
    responses: {
      ...returns(
        `Deliveries, ${pageSize} per page`,
        z.object({ data: z.array(Delivery), meta: z.object({ nextCursor: z.string().nullable() }) }),
      ),
      ...refusals([...memberRefusals, "invalid_input"]),
    },
  }),
  handler: async (c) => {
    const { webhookId } = c.req.valid("param");
    const found = await readWebhook(c, c.get("program").id, webhookId);
    if (!found.ok) return refuse(c, found.refusal);
    const { status, cursor } = c.req.valid("query");
    const isOpen = status === "waiting" || status === "failed";
    const rows = await (isOpen ? openRows(c, webhookId, status, cursor) : loggedRows(c, webhookId, status, cursor));
    if (!rows.ok) return refuse(c, rows.refusal);
    const page = rows.value.slice(0, pageSize);
    const last = rows.value.length > pageSize ? page.at(-1) : undefined;
    const data = page.map(({ position: _position, attempts, ...each }) => ({
      ...each,
      attempts: attempts.map(attemptRecord.reply),
    }));
    return c.json({ data, meta: { nextCursor: cursors.after(last) } }, 200);
  },
});

type InProgram = Ctx & { get(name: "program"): { readonly id: ProgramId } };

/** Returns the program's WebhookSender. The guard has already found the program's shard. */
function senderOf(c: InProgram) {
  const { shard } = c.get("log");
  if (shard === undefined) throw new Error("a program whose place nobody has found");
  return webhookSenderOf(c.env, shard, c.get("program").id);
}

/** Reads deliveries that wait or were given up, from the database. */
async function openRows(c: InProgram, id: number, status: "waiting" | "failed", cursor: Cursor) {
  const query = { id, isFailed: status === "failed", after: cursor?.eventId ?? "", limit: pageSize + 1 };
  const found = await readFromDatabase(c, "program", (database) => listOpenDeliveries(database, query));
  if (!found.ok) return found;
  const attempts = await senderOf(c).attempts(
    id,
    found.value.map(({ eventId }) => eventId),
  );
  const rows = found.value.map(
    ({ eventId, seq, type }, i): Listed => ({ eventId, seq, type, status, attempts: attempts[i] ?? [], position: 0 }),
  );
  return { ok: true, value: rows } as const;
}

/** Reads attempted deliveries from the sender's log, which may be incomplete. */
async function loggedRows(c: InProgram, id: number, status: "delivered" | undefined, cursor: Cursor) {
  const before = cursor?.position ?? Number.MAX_SAFE_INTEGER;
  const query = { before, limit: pageSize + 1, ...(status && { isDelivered: true }) };
  const logged = await senderOf(c).log(id, query);
  const open = logged.filter(({ isDelivered }) => !isDelivered).map(({ eventId }) => eventId);
  const failed = await readFromDatabase(c, "program", (database) => givenUpOf(database, id, open));
  if (!failed.ok) return failed;
  // The log may have an attempt whose outcome isn't in the database yet. Its event is shown as waiting.
  const statusOf = (eventId: string, isDelivered: boolean): DeliveryStatus => {
    if (isDelivered) return "delivered";
    return failed.value.has(eventId) ? "failed" : "waiting";
  };
  const rows = logged.map(
    ({ isDelivered, ...each }): Listed => ({ ...each, status: statusOf(each.eventId, isDelivered) }),
  );
  return { ok: true, value: rows } as const;
}

export const readFeed = endpoint({
  route: createRoute({
    method: "get",
    path: "/programs/{programId}/feed",
    operationId: "readFeed",
    tags: ["Management"],
    summary: "Read the feed of events",
    description: "Returns the response of `/api/v1/programs/me/events` inside `data`.",
    ...programMember("viewer"),
    request: { params: ProgramPath, query: FeedParams },
    responses: {
      ...returns("A page of events", z.object({ data: z.object(FeedReply) })),
      ...refusals([...memberRefusals, "invalid_input", ...feedRefusals]),
    },
  }),
  handler: async (c) => {
    const { test_mode, ...query } = c.req.valid("query");
    const page = await feedPage(c, { programId: c.get("program").id, isTest: test_mode === "true" }, query);
    return page.ok ? c.json({ data: page.value }, 200) : refuse(c, page.refusal);
  },
});

const rangeRule = `toSeq must be from fromSeq to ${maxReplayed.toLocaleString("en-US")} events`;

const Replay = z
  .object({
    fromSeq: fields.integer("fromSeq", 1, Number.MAX_SAFE_INTEGER),
    toSeq: fields.integer("toSeq", 1, Number.MAX_SAFE_INTEGER).describe("Number of the last event to send, inclusive."),
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
      "Sends the events in this range that the feed still has and the webhook receives, with their original ids. A program can have one replay at a time, over all its webhooks.",
    ...withJsonBody(programMember("admin")),
    request: { params: WebhookPath, body: body(Replay) },
    responses: {
      ...accepted("Replay accepted; the events are sent soon", z.object({ data: Replay })),
      ...refusals([
        ...memberWriteRefusals,
        ...inputRefusals,
        "webhook_disabled",
        "webhook_unproved",
        "too_many_replays",
        "program_archived",
      ]),
    },
  }),
  handler: async (c) => {
    const { webhookId } = c.req.valid("param");
    const range = c.req.valid("json");
    const replay = { ...actingMember(c), kind: "replay-webhook", webhookId, ...range } as const;
    const replayed = await runOperation(c, replay);
    return replayed.ok ? c.json({ data: range }, 202) : refuse(c, replayed.refusal);
  },
});

export const retryDelivery = endpoint({
  route: createRoute({
    method: "post",
    path: "/programs/{programId}/webhooks/{webhookId}/deliveries/{eventId}/retry",
    operationId: "retryDelivery",
    tags: ["Management"],
    summary: "Send one event again",
    description: "Sends the event whether or not it was delivered before. It must still be in the feed.",
    ...programMember("admin"),
    request: { params: DeliveryPath },
    responses: {
      ...accepted("Accepted; the event is sent soon", z.object({ data: z.object({ eventId: z.string() }) })),
      ...refusals([...memberWriteRefusals, "webhook_disabled", "webhook_unproved", "program_archived"]),
    },
  }),
  handler: async (c) => {
    const { webhookId, eventId } = c.req.valid("param");
    const member = actingMember(c);
    const { programId } = member;
    const found = await readWebhook(c, programId, webhookId);
    if (!found.ok) return refuse(c, found.refusal);
    const book = { programId, isTest: found.value.testMode };
    const seq = seqOfEvent(book, eventId);
    if (seq === undefined) return refuse(c, notFound("event"));
    const type = await readFromDatabase(c, "program", (database) => typeOfEvent(database, book, seq));
    if (!type.ok) return refuse(c, type.refusal);
    if (type.value === undefined) return refuse(c, notFound("event"));
    const send = { ...member, kind: "redeliver", webhookId, eventId, type: type.value, seq } as const;
    const sent = await runOperation(c, send);
    return sent.ok ? c.json({ data: { eventId } }, 202) : refuse(c, sent.refusal);
  },
});

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
      "Sends an event about made-up data. It appears in the deliveries, but not in the feed. It replaces an earlier example that waits for another attempt.",
    ...withJsonBody(programMember("admin")),
    request: { params: WebhookPath, body: body(Example) },
    responses: {
      ...accepted("Accepted; the event is sent soon", z.object({ data: z.object({ eventId: z.string() }) })),
      ...refusals([...memberWriteRefusals, ...inputRefusals, "webhook_disabled", "program_archived"]),
    },
  }),
  handler: async (c) => {
    const { webhookId } = c.req.valid("param");
    const { type } = c.req.valid("json");
    const member = actingMember(c);
    const found = await readWebhook(c, member.programId, webhookId);
    if (!found.ok) return refuse(c, found.refusal);
    const isNew = found.value.provedAt === null;
    const overLimit = isNew ? await countExample(c, member.programId, member.actorId) : undefined;
    if (overLimit !== undefined) return refuse(c, overLimit);
    const eventId = exampleId(member.operationId);
    const send = { ...member, kind: "redeliver", webhookId, eventId, type, seq: null } as const;
    const enable = { ...member, kind: "update-webhook", webhookId, changes: { status: "active" } } as const;
    const sent = await (isUnanswered(found.value) ? runOperation(c, enable) : runOperation(c, send));
    return sent.ok ? c.json({ data: { eventId } }, 202) : refuse(c, sent.refusal);
  },
});

import { readFromDatabase } from "#api/read-database.ts";
import type { LoggedAttempt } from "#deliver/rpc.ts";
import type { ProgramId } from "#domain/ids.ts";
import { type DeliveryStatus, deliveryStatuses } from "#domain/webhook-status.ts";
import { webhookSenderOf } from "#env.ts";
import type { Ctx } from "#http/context.ts";
import { createRoute, endpoint, returns, refusals, refuse } from "#http/endpoint.ts";
import { cursorOf } from "#http/schema/cursor.ts";
import * as fields from "#http/schema/form-fields.ts";
import { readId } from "#http/schema/id.ts";
import { int32, int64 } from "#http/schema/integers.ts";
import { instant, record } from "#http/schema/record.ts";
import * as z from "#http/schema/zod.ts";
import { givenUpOf, listOpenDeliveries } from "#store/views/webhooks.ts";
import { memberRefusals, programMember } from "../guards.ts";
import { WebhookPath } from "../params.ts";
import { readWebhook } from "./webhook-record.ts";

const pageSize = 50;

const attemptRecord = record("DeliveryAttempt", {
  at: instant(),
  status: int32().nullable().describe("Of the answer. Null: there was none."),
  durationMs: int32(),
  response: z.string().describe("The beginning of the answer, or why there was none."),
});

const Delivery = z
  .object({
    eventId: z.string(),
    seq: int64().nullable().describe("Null: an example."),
    type: z.string(),
    status: z.enum(deliveryStatuses),
    attempts: z
      .array(attemptRecord.schema)
      .describe("Of the last seven days, as far as they are known. The earliest first."),
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
      "Of the last seven days, those last attempted first; with `status=waiting` or `failed`, all that wait or were given up.",
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
    const webhookId = readId(c.req.valid("param").webhookId);
    if (webhookId === undefined) return refuse(c, { code: "not_found", what: "webhook" });
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

/** Where the guard has found the program. */
function senderOf(c: InProgram) {
  const { shard } = c.get("log");
  if (shard === undefined) throw new Error("a program whose place nobody has found");
  return webhookSenderOf(c.env, shard, c.get("program").id);
}

/** Of the database, which loses none. */
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

/** Of the sender's log. */
async function loggedRows(c: InProgram, id: number, status: "delivered" | undefined, cursor: Cursor) {
  const before = cursor?.position ?? Number.MAX_SAFE_INTEGER;
  const query = { before, limit: pageSize + 1, ...(status && { isDelivered: true }) };
  const logged = await senderOf(c).log(id, query);
  const open = logged.filter(({ isDelivered }) => !isDelivered).map(({ eventId }) => eventId);
  const failed = await readFromDatabase(c, "program", (database) => givenUpOf(database, id, open));
  if (!failed.ok) return failed;
  // The log has an attempt before the database has what came of it.
  const statusOf = (eventId: string, isDelivered: boolean): DeliveryStatus => {
    if (isDelivered) return "delivered";
    return failed.value.has(eventId) ? "failed" : "waiting";
  };
  const rows = logged.map(
    ({ isDelivered, ...each }): Listed => ({ ...each, status: statusOf(each.eventId, isDelivered) }),
  );
  return { ok: true, value: rows } as const;
}

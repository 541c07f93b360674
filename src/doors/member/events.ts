import * as narrowing from "#api/narrowing.ts";
import { day, inOrder, partnerId } from "#api/period.ts";
import { readFromDatabase } from "#api/read-database.ts";
import { type EventKind, eventKinds } from "#domain/event-page.ts";
import { createRoute, endpoint, refusals, refuse, returns } from "#http/endpoint.ts";
import { sourceOrNull } from "#http/schema/attribution-source.ts";
import { cursorOf } from "#http/schema/cursor.ts";
import * as fields from "#http/schema/form-fields.ts";
import { id, int32, int64 } from "#http/schema/integers.ts";
import { from, instant, record } from "#http/schema/record.ts";
import * as z from "#http/schema/zod.ts";
import { readEvents, type TrackedEvent } from "#store/reports/events.ts";
import { memberRefusals, programMember } from "./guards.ts";
import { ProgramPath } from "./params.ts";

const common = <Kind extends EventKind>(kind: Kind) => ({
  id: id().describe("Id of the event, unique only within its event type."),
  event_type: from("kind", z.literal(kind)),
  is_test: z.boolean(),
  timestamp: from("occurredAt", instant()),
  click_id: z.string().nullable().describe("Id of this click, or of the click that the event is attributed to."),
  partnerCode: z.string().nullable(),
});
const text = z.string().nullable();
const customerKey = text.describe("Key of the customer. Null if the customer is known only by a click.");

export const clickRecord = record("ClickEvent", {
  ...common("click"),
  page_url: text,
  referrer_url: text,
  country: text,
  device_type: text,
  os: text,
  browser: text,
  is_bot: z.boolean(),
});

export const leadRecord = record("LeadEvent", {
  ...common("lead"),
  customer_key: customerKey,
  provisional: from("isProvisional", z.boolean()),
});

export const saleRecord = record("SaleEvent", {
  ...common("sale"),
  transaction_id: z.string(),
  amount_cents: int64(),
  currency: z.string(),
  customer_key: customerKey,
  source: sourceOrNull,
  attributed: from("isAttributed", z.boolean()),
  reason: text.describe("Reason why the sale was not attributed or earned no commission."),
  commission_id: id(),
  corrected: from("isCorrected", z.boolean().describe("True if a correction replaced the sale.")),
  correction: from("isCorrection", z.boolean().describe("True if the sale replaces one that was corrected.")),
});

const refundRecord = record("RefundEvent", {
  ...common("refund"),
  transaction_id: z.string().describe("The `transaction_id` of the sale."),
  refunded_cents: int64(),
  currency: z.string(),
  reason: text.describe("The `refund_reason` of the call."),
  correction: from("isOfCorrection", z.boolean().describe("True if a correction replaced the sale.")),
});

const EventReply = z.discriminatedUnion("event_type", [
  clickRecord.schema,
  leadRecord.schema,
  saleRecord.schema,
  refundRecord.schema,
]);

function eventReply(event: TrackedEvent): z.output<typeof EventReply> {
  switch (event.kind) {
    case "click":
      return clickRecord.reply(event);
    case "lead":
      return leadRecord.reply(event);
    case "sale":
      return saleRecord.reply(event);
    case "refund":
      return refundRecord.reply(event);
  }
}

const maxPageSize = 100;
/**
 * Reading a page by number costs as much as reading all pages before it. With a cursor, it costs only the page itself.
 */
const maxByNumber = 1_000;
const tooFar = `page must be within the newest ${maxByNumber} events. Use cursor for older ones.`;

interface PageQuery {
  readonly page?: unknown;
  readonly pageSize?: unknown;
  readonly cursor?: unknown;
}
const isWithinReach = ({ page, pageSize, cursor }: PageQuery): boolean =>
  cursor !== undefined ||
  typeof page !== "number" ||
  typeof pageSize !== "number" ||
  page > maxByNumber ||
  page * pageSize <= maxByNumber;

const books = { exclude: [false], only: [true], include: [false, true] } as const;

/** A cursor contains the last event of a page, so that the next page is right even if events were recorded since. */
const cursors = cursorOf("events", {
  kind: z.enum(eventKinds),
  id: z.int().positive(),
  occurredAt: z.int(),
});

const Query = z
  .object({
    page: fields
      .integerText("page", 1, maxByNumber)
      .default(1)
      .describe(`Page number, within the newest ${maxByNumber} events.`),
    pageSize: fields.integerText("pageSize", 1, maxPageSize).default(10),
    cursor: cursors.parameter("nextCursor", " Takes precedence over `page`."),
    eventType: fields
      .oneOf("eventType", ["click", "lead", "sale", "refund", "conversion"])
      .optional()
      .describe("`conversion` means `sale`."),
    dateFrom: day("dateFrom").optional(),
    dateTo: day("dateTo").optional().describe("Last day of the range, inclusive."),
    partnerId: partnerId(),
    saleId: narrowing.saleId(),
    commissionId: narrowing.commissionId(),
    transactionId: narrowing.transactionId(),
    customerKey: narrowing.customerKey(),
    test: fields.oneOf("test", ["exclude", "only", "include"]).default("exclude"),
  })
  .refine(...fields.rule(["page"], tooFar, isWithinReach))
  .refine(...inOrder());

const EventsReply = z
  .object({
    data: z.array(EventReply),
    meta: z.object({
      pagination: z.object({
        page: int32().describe("The requested page. Not meaningful with `cursor`."),
        pageSize: int32(),
        pageCount: int32(),
        total: int64().describe("Number of events that match the query, including clicks by bots."),
        nextCursor: z.string().nullable().describe("Send it as `cursor` to get the next page. Null on the last page."),
      }),
    }),
  })
  .openapi("Events");

export const events = endpoint({
  route: createRoute({
    method: "get",
    path: "/events/{programId}",
    operationId: "listEvents",
    tags: ["Dashboard"],
    summary: "List a program's events",
    description:
      "Clicks, leads, sales and refunds, newest first. Days are in the program's time zone and fixed when an event is " +
      "recorded. Test events include those created by verification.",
    ...programMember("viewer"),
    request: { params: ProgramPath, query: Query },
    responses: {
      ...returns("A page of events", EventsReply),
      ...refusals([...memberRefusals, "invalid_input"]),
    },
  }),
  handler: async (c) => {
    const { page, pageSize, cursor, ...query } = c.req.valid("query");
    const start = cursor === undefined ? (page - 1) * pageSize : 0;
    const filter = {
      books: books[query.test].map((isTest) => ({ programId: c.get("program").id, isTest })),
      kinds: kindsOf(query.eventType),
      days: { from: query.dateFrom ?? "0000-01-01", to: query.dateTo ?? "9999-12-31" },
      partnerId: query.partnerId,
      narrowing: narrowing.narrowingOf(query),
      after: cursor,
      limit: start + pageSize + 1,
    };
    const found = await readFromDatabase(c, "program", (database) => readEvents(database, filter));
    if (!found.ok) return refuse(c, found.refusal);

    const { events, total } = found.value;
    const pageEvents = events.slice(start, start + pageSize);
    const last = events.length > start + pageSize ? pageEvents.at(-1) : undefined;
    const pageCount = Math.ceil(total / pageSize);
    const pagination = { page, pageSize, pageCount, total, nextCursor: cursors.after(last) };
    return c.json({ data: pageEvents.map(eventReply), meta: { pagination } }, 200);
  },
});

const kindsOf = (eventType: EventKind | "conversion" | undefined): readonly EventKind[] =>
  eventType === undefined ? eventKinds : [eventType === "conversion" ? "sale" : eventType];

import type { EventKind } from "#domain/event-page.ts";
import { sourceOrNull } from "#http/schema/attribution-source.ts";
import { id, int64 } from "#http/schema/integers.ts";
import { from, instant, record } from "#http/schema/record.ts";
import * as z from "#http/schema/zod.ts";
import type { TrackedEvent } from "#store/reports/events.ts";

const common = <Kind extends EventKind>(kind: Kind) => ({
  id: id().describe("Unique only within its event type."),
  event_type: from("kind", z.literal(kind)),
  is_test: z.boolean(),
  timestamp: from("occurredAt", instant()),
  click_id: z.string().nullable().describe("Id of this click, or of the click that the event is attributed to."),
  partnerCode: z.string().nullable(),
});
const text = z.string().nullable();
const customerKey = text.describe("Null if the customer is known only by a click.");

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
  reason: text.describe("Reason that the sale was not attributed, or earned no commission."),
  commission_id: id(),
});

const refundRecord = record("RefundEvent", {
  ...common("refund"),
  transaction_id: z.string().describe("The `transaction_id` of the sale."),
  refunded_cents: int64(),
  currency: z.string(),
  reason: text.describe("The `refund_reason` of the call."),
});

export const EventReply = z.discriminatedUnion("event_type", [
  clickRecord.schema,
  leadRecord.schema,
  saleRecord.schema,
  refundRecord.schema,
]);

export function eventReply(event: TrackedEvent): z.output<typeof EventReply> {
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

import type { EventKind } from "../../../domain/event-page.ts";
import { timestamp } from "../../../http/schema/timestamp.ts";
import * as z from "../../../http/schema/zod.ts";
import type { StoredClick, StoredLead, StoredRefund, StoredSale, TrackedEvent } from "../../../store/reports/events.ts";

const common = <Kind extends EventKind>(kind: Kind) => ({
  id: z.int().describe("Unique only within its event type."),
  event_type: z.literal(kind),
  is_test: z.boolean(),
  timestamp: z.iso.datetime(),
  click_id: z.string().nullable().describe("Id of this click, or of the click that the event is attributed to."),
  partnerCode: z.string().nullable(),
});
const text = z.string().nullable();
const customerKey = text.describe("Null if the customer is known only by a click.");

export const ClickEvent = z
  .object({
    ...common("click"),
    page_url: text,
    referrer_url: text,
    country: text,
    device_type: text,
    os: text,
    browser: text,
    is_bot: z.boolean(),
  })
  .openapi("ClickEvent");

export const LeadEvent = z
  .object({ ...common("lead"), customer_key: customerKey, provisional: z.boolean() })
  .openapi("LeadEvent");

export const SaleEvent = z
  .object({
    ...common("sale"),
    transaction_id: z.string(),
    amount_cents: z.int(),
    currency: z.string(),
    customer_key: customerKey,
    attributed: z.boolean(),
    reason: text.describe("Reason that the sale was not attributed, or earned no commission."),
    commission_id: z.int(),
  })
  .openapi("SaleEvent");

const RefundEvent = z
  .object({
    ...common("refund"),
    transaction_id: z.string().describe("The `transaction_id` of the sale."),
    refunded_cents: z.int(),
    currency: z.string(),
    reason: text.describe("The `refund_reason` of the call."),
  })
  .openapi("RefundEvent");

export const EventReply = z.discriminatedUnion("event_type", [ClickEvent, LeadEvent, SaleEvent, RefundEvent]);

const commonOf = ({ id, isTest, occurredAt, clickId, partnerCode }: TrackedEvent) => ({
  id,
  is_test: isTest,
  timestamp: timestamp(occurredAt),
  click_id: clickId,
  partnerCode,
});

export const clickReply = (click: StoredClick): z.output<typeof ClickEvent> => ({
  ...commonOf(click),
  event_type: "click",
  page_url: click.pageUrl,
  referrer_url: click.referrerUrl,
  country: click.country,
  device_type: click.deviceType,
  os: click.os,
  browser: click.browser,
  is_bot: click.isBot,
});

export const leadReply = (lead: StoredLead): z.output<typeof LeadEvent> => ({
  ...commonOf(lead),
  event_type: "lead",
  customer_key: lead.customerKey,
  provisional: lead.isProvisional,
});

export const saleReply = (sale: StoredSale): z.output<typeof SaleEvent> => ({
  ...commonOf(sale),
  event_type: "sale",
  transaction_id: sale.transactionId,
  amount_cents: sale.amountCents,
  currency: sale.currency,
  customer_key: sale.customerKey,
  attributed: sale.isAttributed,
  reason: sale.reason,
  commission_id: sale.commissionId,
});

const refundReply = (refund: StoredRefund): z.output<typeof RefundEvent> => ({
  ...commonOf(refund),
  event_type: "refund",
  transaction_id: refund.transactionId,
  refunded_cents: refund.refundedCents,
  currency: refund.currency,
  reason: refund.reason,
});

export function eventReply(event: TrackedEvent): z.output<typeof EventReply> {
  switch (event.kind) {
    case "click":
      return clickReply(event);
    case "lead":
      return leadReply(event);
    case "sale":
      return saleReply(event);
    case "refund":
      return refundReply(event);
  }
}

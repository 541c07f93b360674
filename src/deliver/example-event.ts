import type { Book } from "#domain/book.ts";
import { feedEvent, type StoredEvent } from "#domain/event.ts";
import type { EventType, notedFields } from "#domain/event-type.ts";

interface Example {
  readonly id: string;
  readonly type: string;
  readonly at: number;
}

const sold = { transaction_id: "order-1001", customer_key: "customer-1" };

const noDetails = { subscription_id: null, product_id: null, event_name: null, items: null };
const refunded = { refunded_cents: 4_900, refunded_total_cents: 4_900 };

const objects: Readonly<Record<string, StoredEvent["object"]>> = {
  lead: { lead_id: 1, customer_key: "customer-1", click_id: null, event_name: "sign_up", occurred_at: 0 },
  sale: {
    sale_id: 1,
    ...sold,
    amount_cents: 4_900,
    currency: "EUR",
    sale_type: "payment",
    ...noDetails,
    occurred_at: 0,
  },
  refund: { refund_id: "refund-1", sale_id: 1, ...sold, ...refunded, currency: "EUR", occurred_at: 0 },
  commission: { commission_id: 1, sale_id: 1, ...sold },
  payout: {
    payout_id: 1,
    reference: "2026-11",
    currency: "EUR",
    total_cents: 98_000,
    line_count: 12,
    settled_by: "person",
  },
  partner: { partner_id: 1, partner_code: "anna", name: "Anna" },
  webhook: { webhook_id: 1, url: "https://shop.example/webhooks" },
};

const line = { line_id: 1, payout_id: 1, reference: "2026-11", partner_id: 1, partner_code: "anna" };
const payment = { ...line, amount_cents: 980, currency: "EUR" };

/** Fields of events whose type has other fields than `objects` lists for its family. */
const ofType: Readonly<Partial<Record<EventType, StoredEvent["object"]>>> = {
  "lead.moved": { lead_id: 1, customer_key: "customer-1", source: "click" },
  "payout.line_settled": { ...payment, settlement_id: "cbtxn_1001", settled_at: 0 },
  "payout.line_failed": payment,
  "partner.applied": { application_id: 1, name: "Anna", website: "https://anna.example/" },
  "partner.claim_opened": {
    claim_id: 1,
    partner_id: 1,
    partner_code: "anna",
    day: "2026-11-14",
    amount_cents: 4_900,
    currency: "EUR",
  },
};

type Noted = keyof typeof notedFields;

const present: Readonly<Record<Noted, readonly unknown[]>> = {
  lead: [1],
  sale: [1, "click"],
  refund: [1, "reversed"],
  commission: [1, "approved", 980, 0, 0, null, "EUR"],
  partner: ["active", null, 0, null],
};

const former: Readonly<Partial<Record<EventType, readonly unknown[]>>> = {
  "lead.moved": [2],
  "sale.updated": [2, "click"],
  "commission.updated": [1, "pending", 980, 0, 0, null, "EUR"],
  "partner.updated": ["paused", null, 0, null],
};

const notedOf = (type: EventType, family: string): readonly unknown[] | null =>
  type === "partner.applied" || type === "partner.claim_opened" ? null : (present[family as Noted] ?? null);

const isInstant = (name: string): boolean => name === "occurred_at" || name === "settled_at";

/** An event in the format of the feed, about objects that don't exist. */
export function exampleEvent(book: Book, { id, type: text, at }: Example) {
  const type = text as EventType;
  const family = type.slice(0, type.indexOf("."));
  const { before, after } =
    type === "feed.restarted"
      ? { before: [840], after: [1_030_000_840] }
      : { before: former[type] ?? null, after: notedOf(type, family) };
  const object = ofType[type] ?? objects[family] ?? null;
  const own =
    object && Object.fromEntries(Object.entries(object).map(([name, value]) => [name, isInstant(name) ? at : value]));
  const stored = { seq: 0, at, type, subject: 1, before, after, object: own, partnerCode: "anna" };
  return { ...feedEvent(book, stored), id };
}

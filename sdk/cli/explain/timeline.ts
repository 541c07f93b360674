import { columns, count, money, time } from "../format.ts";
import type { ClickEvent, LeadEvent, RefundEvent, SaleEvent, StoryEvent } from "./reply.ts";

const dayMs = 86_400_000;

/** Prints the events, one line for each. */
export const timeline = (events: readonly StoryEvent[]): string[] =>
  columns(
    events.map((event) => [
      time(event.occurred_at),
      event.type,
      event.partner_code ?? "–",
      [...detailsOf(event), ...lateness(event)].join(", "),
    ]),
  );

function detailsOf(event: StoryEvent): string[] {
  switch (event.type) {
    case "click":
      return ofClick(event);
    case "lead":
      return ofLead(event);
    case "sale":
      return ofSale(event);
    case "refund":
      return ofRefund(event);
    default:
      // A later version of the service may send other types.
      return [];
  }
}

const ofClick = ({ id, page_url, is_bot }: ClickEvent): string[] => [page_url ?? id, ...(is_bot ? ["bot"] : [])];

const ofLead = ({ id, customer_key, provisional, reason }: LeadEvent): string[] => [
  `lead ${id}`,
  ...(customer_key === null ? [] : [`customer ${customer_key}`]),
  ...(provisional ? ["provisional"] : []),
  ...(reason === null ? [] : [reason]),
];

function ofSale({ transaction_id, amount_cents, currency, ...sale }: SaleEvent): string[] {
  const commission =
    sale.commission_status === "void"
      ? "no commission"
      : `commission ${money(sale.commission_cents, sale.commission_currency ?? currency)} (${sale.commission_status})`;
  return [transaction_id, money(amount_cents, currency), commission, ...(sale.reason === null ? [] : [sale.reason])];
}

function ofRefund({ refund_id, transaction_id, refunded_cents: cents, currency, ...refund }: RefundEvent): string[] {
  const { status, commission_reversed_cents: reversed } = refund;
  const amount = money(Math.abs(cents), currency);
  return [
    `${refund_id === null ? "" : `${refund_id} `}of ${transaction_id}`,
    status === "skipped" ? "changed nothing" : cents < 0 ? `${amount} canceled` : amount,
    ...(reversed === 0 ? [] : [`commission ${money(-reversed, refund.commission_currency ?? currency)}`]),
  ];
}

function lateness({ occurred_at, received_at }: StoryEvent): string[] {
  const days = received_at === null ? 0 : Math.floor((Date.parse(received_at) - Date.parse(occurred_at)) / dayMs);
  return days > 0 ? [`reported ${count(days, "day")} later`] : [];
}

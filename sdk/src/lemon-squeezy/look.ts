import type { TributaryClient } from "../client.ts";
import { currencyDigits } from "../currency.ts";
import type { Found } from "../processors/found.ts";
import { wholeAmount } from "../processors/handle.ts";
import { keysIn } from "../processors/keys.ts";
import { momentOf, type PaymentFrom, reported, secondsIn } from "../processors/payment.ts";
import type { Charge, LemonSqueezyEvent, Order, SubscriptionInvoice } from "./objects.ts";

type Read = (event: LemonSqueezyEvent, tributary: TributaryClient) => Found;

const readers: Readonly<Record<string, Read>> = {
  order_created: (event, tributary) => saleFrom(event, paymentOfOrder(event), tributary),
  order_refunded: ({ data }) => refundOf(orderId(data.id), data.attributes as Order),
  subscription_payment_success: (event, tributary) =>
    isFirst(event) ? firstPayment : saleFrom(event, paymentOfInvoice(event), tributary),
  subscription_payment_refunded: (event) =>
    isFirst(event)
      ? { refused: "it refunds a subscription's first payment, which is an order: only order_refunded reports it" }
      : refundOf(invoiceId(event.data.id), event.data.attributes as SubscriptionInvoice),
};

export function look(event: LemonSqueezyEvent, tributary: TributaryClient): Found {
  const { event_name: name } = event.meta;
  const read = Object.hasOwn(readers, name) ? readers[name] : undefined;
  return read ? read(event, tributary) : { skip: "this type of event doesn't report a payment" };
}

/** An order and an invoice may have the same number. */
const orderId = (id: string): string => `order_${known(id)}`;
const invoiceId = (id: string): string => `subscription_invoice_${known(id)}`;

function known(id: string): string {
  if (!id) throw new TypeError("data.id is missing");
  return id;
}

const isFirst = ({ data }: LemonSqueezyEvent): boolean =>
  (data.attributes as SubscriptionInvoice).billing_reason === "initial";

const firstPayment = { skip: "order_created reports a subscription's first payment" } as const;

const saleFrom = ({ meta }: LemonSqueezyEvent, payment: PaymentFrom, tributary: TributaryClient): Found =>
  reported(payment, keysIn(meta.custom_data), { tributary });

function paymentOfOrder({ data }: LemonSqueezyEvent): PaymentFrom {
  return paymentOf(orderId(data.id), data.attributes as Order, undefined);
}

function paymentOfInvoice({ data }: LemonSqueezyEvent): PaymentFrom {
  const invoice = data.attributes as SubscriptionInvoice;
  const { subscription_id: subscriptionId } = invoice;
  return paymentOf(invoiceId(data.id), invoice, subscriptionId ? String(subscriptionId) : undefined);
}

function paymentOf(id: string, charge: Charge, subscriptionId: string | undefined): PaymentFrom {
  // A payment that has been refunded is still a payment.
  if (!["paid", "refunded", "partial_refund"].includes(charge.status)) return "unpaid";
  const amount = inIso(wholeAmount(charge.total, "total") - wholeAmount(charge.tax, "tax"), charge);
  if (!(amount > 0)) return "zero_amount";
  return {
    id,
    paid: { amount, currency: charge.currency },
    subscriptionId,
    isRecurring: subscriptionId === undefined ? false : "auto",
    at: secondsIn(charge.created_at),
    couponCodes: [],
    items: undefined,
  };
}

function refundOf(id: string, charge: Charge): Found {
  const total = wholeAmount(charge.total, "total");
  const isWhole = charge.refunded === true && charge.status !== "partial_refund";
  const refundedTotal = wholeAmount(charge.refunded_amount || (isWhole ? total : 0), "refunded_amount");
  if (!(refundedTotal > 0)) return { skip: "nothing is refunded" };
  // `refunded_at` may be the time of an earlier refund.
  const occurredAt = momentOf(secondsIn(charge.updated_at));
  return { refund: { invoiceId: id, refundId: id, refundedTotal, chargeTotal: total, occurredAt } };
}

/**
 * Lemon Squeezy documents its amounts as cents, but not every currency has cents. For such a currency, the formatted
 * total shows whether the total is in cents or in the currency's own smallest unit. Throws a `TypeError` if it shows
 * neither.
 */
function inIso(amount: number, { total, total_formatted: shown = "", currency }: Charge): number {
  const digits = currencyDigits(currency);
  const own = digits === 2 ? 2 : [digits, 2].find((each) => total === totalShown(shown, digits, each));
  if (own === undefined) throw new TypeError(`its unit isn't known: ${total} ${currency} is shown as ${shown}`);
  return Math.round(Number(`${amount}e${digits - own}`));
}

/**
 * Reads a formatted amount, such as "¥600" or "KWD 1.500", in units with this number of decimals. Undefined without an
 * amount.
 */
function totalShown(shown: string, currencyDigits: number, digits: number): number | undefined {
  const number = shown.replace(/\D+$/, "");
  const [, decimals = ""] = new RegExp(`[.,](\\d{1,${Math.max(currencyDigits, 2)}})$`).exec(number) ?? [];
  const value = number.replace(/\D/g, "");
  return value === "" ? undefined : Number(`${value}e${digits - decimals.length}`);
}

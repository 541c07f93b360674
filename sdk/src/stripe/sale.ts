import type { SaleInput } from "../inputs.ts";
import { isPlaceholder } from "../placeholder.ts";
import { firstKeys, hasKeys, ignoring, isPrintableId, type Keys, keysIn } from "../processors/keys.ts";
import { type PaymentFrom, saleOf } from "../processors/payment.ts";
import { amountOfIntent, amountOfInvoice, amountOfSession, type Include } from "./amounts.ts";
import { codesOfInvoice, codesOfSession } from "./coupons.ts";
import { itemsOfInvoice, itemsOfSession } from "./items.ts";
import { type Invoice, idOf, type PaymentIntent, requireEvent, type Session, type StripeEvent } from "./objects.ts";

export interface SaleOptions {
  /**
   * The parts of a payment that earn commissions in addition to the price. Default: none, so that sales are net of tax
   * and shipping.
   */
  readonly include?: Include | undefined;
}

/** The reason why an event is not a sale. */
export type NoSaleReason =
  | "other_event"
  | "unpaid"
  | "zero_amount"
  /** The payment has no keys of `checkoutMetadata`: no checkout with these keys created it. */
  | "no_customer_key";

/** The arguments of `trackSale`, or the reason why there is nothing to track. */
export type SaleFromEvent =
  | { readonly sale: SaleInput; readonly reason: null }
  | { readonly sale: null; readonly reason: NoSaleReason };

/**
 * Returns the sale that an event reports, from the event alone. `handleStripeEvent` also looks up what the event lacks,
 * and checks `livemode` and `program_id`. The amount is net of tax and shipping, in the units of ISO 4217; the time is
 * that of the payment. If a session and an invoice both report a first payment, they give it the same id, so it counts
 * once. Throws a `TypeError` if the argument isn't an event of Stripe.
 */
export function saleFromEvent(event: StripeEvent, { include = [] }: SaleOptions = {}): SaleFromEvent {
  requireEvent(event, "saleFromEvent");
  const none = (reason: NoSaleReason): SaleFromEvent => ({ sale: null, reason });
  const found = paymentFrom(event, include);
  if (found === undefined) return none("other_event");
  if (typeof found.payment === "string") return none(found.payment);
  const sale = saleOf(found.payment, found.keys);
  return sale ? { sale, reason: null } : none("no_customer_key");
}

function paymentFrom(event: StripeEvent, include: Include): { payment: PaymentFrom; keys: Keys } | undefined {
  const { type, data, created } = event;
  if (isSessionPaid(type)) {
    const session = data.object as Session;
    return { payment: paymentOfSession(session, created, include), keys: keysOfSession(session) };
  }
  if (isInvoicePaid(type)) {
    const invoice = data.object as Invoice;
    return { payment: likeItsSession(paymentOfInvoice(invoice, created, include)), keys: keysOfInvoice(invoice) };
  }
  if (type !== "payment_intent.succeeded") return undefined;
  const intent = data.object as PaymentIntent;
  const keys = keysIn(intent.metadata);
  // A payment intent without the keys belongs to a session or an invoice, whose own event reports the payment.
  if (intent.invoice || (!keys.customerKey && !keys.clickId)) return undefined;
  return { payment: paymentOfIntent(intent, created, include), keys };
}

export const isSessionPaid = (type: string): boolean =>
  /^checkout\.session\.(completed|async_payment_succeeded)$/.test(type);
export const isInvoicePaid = (type: string): boolean => /^invoice\.(paid|payment_succeeded)$/.test(type);

/** The payment's id is the invoice's, else the payment intent's, else the session's. */
export function paymentOfSession(session: Session, at: number | undefined, include: Include): PaymentFrom {
  const { payment_status, amount_total, invoice, payment_intent, subscription, mode, id } = session;
  if (payment_status !== "paid" && amount_total) return "unpaid";
  const paid = amountOfSession(session, include);
  if (!paid || !(paid.amount > 0)) return "zero_amount";
  return {
    id: idOf(invoice) ?? idOf(payment_intent) ?? id,
    paid,
    subscriptionId: mode === "subscription" ? idOf(subscription) : undefined,
    isRecurring: false,
    at,
    couponCodes: codesOfSession(session),
    items: itemsOfSession(session, include, paid.amount),
  };
}

/**
 * Removes the items of a first payment. Its session may report the payment too, and sessions in events contain no
 * items.
 */
export const likeItsSession = (payment: PaymentFrom): PaymentFrom =>
  typeof payment === "string" || payment.isRecurring ? payment : { ...payment, items: undefined };

export function paymentOfInvoice(invoice: Invoice, at: number | undefined, include: Include): PaymentFrom {
  if (invoice.status !== "paid") return "unpaid";
  const paid = amountOfInvoice(invoice, include);
  if (!(paid.amount > 0)) return "zero_amount";
  const subscriptionId = subscriptionOf(invoice);
  return {
    id: invoice.id,
    paid,
    subscriptionId,
    // Stripe calls the first payment after a trial or a free month a renewal, and the first payment after a free plan
    // an update.
    isRecurring: subscriptionId !== undefined && invoice.billing_reason !== "subscription_create" ? "auto" : false,
    at: invoice.status_transitions?.paid_at ?? at,
    couponCodes: codesOfInvoice(invoice),
    items: itemsOfInvoice(invoice, include, paid.amount),
  };
}

export function paymentOfIntent(
  intent: PaymentIntent,
  at: number | undefined,
  include: Include,
  session?: Session,
): PaymentFrom {
  const paid = amountOfIntent(intent, include, session);
  if (!(paid.amount > 0)) return "zero_amount";
  return {
    id: intent.id,
    paid,
    subscriptionId: undefined,
    isRecurring: false,
    at,
    couponCodes: session ? codesOfSession(session) : [],
    items: session && itemsOfSession(session, include, paid.amount),
  };
}

/**
 * A payment link has no metadata per customer, but accepts a reference in its URL, which a shop may use for another
 * purpose.
 */
export function keysOfSession({ metadata, client_reference_id: reference }: Session): Keys {
  const keys = keysIn(metadata);
  const key = reference?.trim();
  if (hasKeys(keys) || !isPrintableId(key)) return keys;
  if (isPlaceholder(key)) return { ignored: ignoring("client_reference_id"), ...keys };
  const doubt =
    `recorded for the customer "${key}", whom no sign-up has named. The key is the session's client_reference_id, ` +
    "because its metadata has none: if it isn't your customer key, set checkoutMetadata on the checkout";
  return { ...keys, customerKey: key, doubt };
}

export function keysOfInvoice(invoice: Invoice): Keys {
  const { parent, subscription_details, lines, metadata } = invoice;
  const places = [parent?.subscription_details, subscription_details, ...(lines?.data ?? []), { metadata }];
  const all = places.map((place) => keysIn(place?.metadata));
  const isNamed = ({ customerKey }: Keys) => customerKey !== undefined;
  return firstKeys(all, all.some(isNamed) ? isNamed : hasKeys);
}

export const subscriptionOf = ({ parent, subscription }: Invoice): string | undefined =>
  idOf(parent?.subscription_details?.subscription) ?? idOf(subscription);

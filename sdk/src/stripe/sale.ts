import type { SaleInput, SaleItem } from "../inputs.ts";
import { type Amount, amountOfIntent, amountOfInvoice, amountOfSession, type Include } from "./amounts.ts";
import { codesOfInvoice, codesOfSession } from "./coupons.ts";
import { itemsOfInvoice, itemsOfSession } from "./items.ts";
import { isPrintableId } from "./metadata.ts";
import { type Invoice, idOf, type Metadata, type PaymentIntent, type Session, type StripeEvent } from "./objects.ts";

export interface SaleOptions {
  /** Additional parts of a payment that earn. Default: none, so that sales are net of tax and shipping. */
  readonly include?: Include | undefined;
}

/** The reason why an event is not a sale. */
export type NoSaleReason =
  | "other_event"
  | "unpaid"
  | "zero_amount"
  /** The payment has none of our metadata: no checkout with this metadata created it. */
  | "no_customer_key";

/** The arguments of `trackSale`, or the reason why there is nothing to track. */
export type SaleFromEvent =
  | { readonly sale: SaleInput; readonly reason: null }
  | { readonly sale: null; readonly reason: NoSaleReason };

/** A successful payment, without its customer. */
export interface Payment {
  /** The invoice, else the payment intent, else the session. */
  readonly id: string;
  readonly paid: Amount;
  readonly subscriptionId: string | undefined;
  readonly isRecurring: boolean;
  /** In seconds. */
  readonly at: number | undefined;
  readonly couponCodes: readonly string[];
  /** Undefined if they aren't known, or don't add up. */
  readonly items: readonly SaleItem[] | undefined;
}

export type PaymentFrom = Payment | "unpaid" | "zero_amount";

/** The keys of a payment's customer, as far as they are known. */
export interface Keys {
  readonly customerKey?: string | undefined;
  readonly clickId?: string | undefined;
  readonly programId?: string | undefined;
  /** The customer key is the session's `client_reference_id`, which a shop may use for something else. */
  readonly isReference?: boolean;
}

export const hasKeys = ({ customerKey, clickId }: Keys): boolean => Boolean(customerKey ?? clickId);

/**
 * The sale that an event reports, as far as the event itself contains it: `handleStripeEvent` looks up the rest, and
 * checks `livemode` and `program_id`, which this function doesn't. Net of tax and shipping, in the units of ISO 4217, at
 * the time of the payment. A first payment that a session and an invoice both report has one id, so it counts once.
 */
export function saleFromEvent(event: StripeEvent, { include = [] }: SaleOptions = {}): SaleFromEvent {
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
  // Without the keys, it belongs to a session or an invoice, which has its own event.
  if (intent.invoice || (!keys.customerKey && !keys.clickId)) return undefined;
  return { payment: paymentOfIntent(intent, created, include), keys };
}

export const isSessionPaid = (type: string): boolean =>
  /^checkout\.session\.(completed|async_payment_succeeded)$/.test(type);
export const isInvoicePaid = (type: string): boolean => /^invoice\.(paid|payment_succeeded)$/.test(type);

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

/** Without the items of a first payment: its session may report it too, and doesn't list them. */
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
    isRecurring: subscriptionId !== undefined && invoice.billing_reason !== "subscription_create",
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

/** Undefined if nothing identifies the customer. All events of a payment give the same fields, so later ones repeat. */
export function saleOf(payment: Payment, { customerKey, clickId }: Keys): SaleInput | undefined {
  const { id, paid, subscriptionId, isRecurring, at, couponCodes, items } = payment;
  const sale = {
    ...paid,
    invoiceId: id,
    clickId: clickId ?? null,
    saleType: subscriptionId === undefined ? ("payment" as const) : ("subscription" as const),
    isRecurring,
    occurredAt: momentOf(at),
    ...(couponCodes.length > 0 && { couponCodes }),
    ...(items && { items }),
  };
  if (customerKey) return { ...sale, customerExternalId: customerKey, subscriptionId: subscriptionId ?? null };
  if (clickId) return { ...sale, clickId, subscriptionId: subscriptionId ?? null };
  return subscriptionId === undefined ? undefined : { ...sale, subscriptionId };
}

/** Stripe's clock may be ahead of the service's. */
export const momentOf = (seconds: number | undefined): Date | null =>
  seconds === undefined ? null : new Date(Math.min(seconds * 1_000, Date.now()));

/** Ignores keys that can't be sent. */
export function keysIn(metadata: Metadata): Keys {
  const { svc_customer_key: customerKey, svc_click_id: clickId, program_id: programId } = metadata ?? {};
  return {
    customerKey: isPrintableId(customerKey) ? customerKey : undefined,
    clickId: clickId || undefined,
    programId: programId || undefined,
  };
}

/** A payment link has no metadata per customer, but accepts a reference in its URL. */
export function keysOfSession({ metadata, client_reference_id: reference }: Session): Keys {
  const keys = keysIn(metadata);
  return hasKeys(keys) || !isPrintableId(reference) ? keys : { ...keys, customerKey: reference, isReference: true };
}

export function keysOfInvoice(invoice: Invoice): Keys {
  const { parent, subscription_details, lines, metadata } = invoice;
  const places = [parent?.subscription_details, subscription_details, ...(lines?.data ?? []), { metadata }];
  const all = places.map((place) => keysIn(place?.metadata));
  return all.find(({ customerKey }) => customerKey) ?? all.find(({ clickId }) => clickId) ?? {};
}

export const subscriptionOf = ({ parent, subscription }: Invoice): string | undefined =>
  idOf(parent?.subscription_details?.subscription) ?? idOf(subscription);

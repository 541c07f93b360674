import type { RefundInput, SaleInput } from "./inputs.ts";

/** What is needed of a `Stripe.Event`, of whatever API version. Check its signature before you trust it. */
export interface StripeEvent {
  readonly type: string;
  readonly data: { readonly object: object };
}

/** What is needed of a `Stripe.Charge`. */
export interface StripeCharge {
  readonly id: string;
  readonly payment_intent?: Reference;
}

/** The three keys by which a payment finds its customer and partner: these two, and `svc_click_id` if there was one. */
export type CheckoutMetadata = {
  // Stripe's own types take any text under any name, and nothing that may be missing.
  [name: string]: string;
  svc_customer_key: string;
  program_id: string;
};

export interface CheckoutInput {
  /** What the browser forwarded, if anything. */
  readonly clickId?: string | null | undefined;
  /** Your own stable id of the customer, as in their lead. */
  readonly customerKey: string;
  readonly programId: number | string;
  /** The session's. Default: `payment`. */
  readonly mode?: "payment" | "subscription" | undefined;
}

/** The arguments of `trackSale`, or why there is nothing to track. */
export type SaleFromEvent =
  | { readonly sale: SaleInput; readonly reason: null }
  | {
      readonly sale: null;
      /** `no_customer_key`: the payment carries none of our metadata, so it was not made by a checkout that sets it. */
      readonly reason: "other_event" | "unpaid" | "zero_amount" | "no_customer_key";
    };

/** The arguments of `trackRefund`, or why there is nothing to track. */
export type RefundFromEvent =
  | { readonly refund: RefundInput; readonly reason: null }
  | { readonly refund: null; readonly reason: "other_event" | "zero_amount" | "unknown_payment" };

type Reference = string | { readonly id: string } | null | undefined;
type Metadata = Readonly<Record<string, string>> | null | undefined;

interface Session {
  readonly id: string;
  readonly mode: string;
  readonly payment_status: string;
  readonly amount_total: number | null;
  readonly currency: string | null;
  readonly metadata?: Metadata;
  readonly invoice?: Reference;
  readonly payment_intent?: Reference;
  readonly subscription?: Reference;
}

interface SubscriptionDetails {
  readonly metadata?: Metadata;
  readonly subscription?: Reference;
}

/** Until 2025-03-31 Stripe kept `subscription` and `subscription_details` on the invoice itself. */
interface Invoice {
  readonly id: string;
  readonly status: string | null;
  readonly billing_reason: string | null;
  readonly amount_paid: number;
  readonly currency: string;
  readonly metadata?: Metadata;
  readonly subscription?: Reference;
  readonly subscription_details?: SubscriptionDetails | null;
  readonly parent?: { readonly subscription_details?: SubscriptionDetails | null } | null;
  readonly lines?: { readonly data: readonly { readonly metadata?: Metadata }[] };
}

interface Charge extends StripeCharge {
  readonly amount_refunded: number;
  readonly currency: string;
  /** Gone since 2025-03-31. */
  readonly invoice?: Reference;
}

/**
 * Metadata to spread into the parameters of a checkout session. In mode `subscription` it stands on the subscription
 * too, so that renewals find their partner. A click id that Stripe would refuse is left out.
 */
export function checkoutMetadata(input: CheckoutInput & { readonly mode: "subscription" }): {
  metadata: CheckoutMetadata;
  subscription_data: { metadata: CheckoutMetadata };
};
export function checkoutMetadata(input: CheckoutInput & { readonly mode?: "payment" | undefined }): {
  metadata: CheckoutMetadata;
};
export function checkoutMetadata({ clickId, customerKey, programId, mode }: CheckoutInput) {
  if (typeof customerKey !== "string" || customerKey.trim() === "" || customerKey.length > 255) {
    throw new TypeError("checkoutMetadata: customerKey must be a string of 1 to 255 characters");
  }
  if (!/^[1-9]\d*$/.test(String(programId))) {
    throw new TypeError("checkoutMetadata: programId must be a positive integer");
  }
  const isClickId = typeof clickId === "string" && /^[\w.~-]{1,255}$/.test(clickId);
  const metadata: CheckoutMetadata = {
    ...(isClickId && { svc_click_id: clickId }),
    svc_customer_key: customerKey,
    program_id: String(programId),
  };
  return { metadata, ...(mode === "subscription" && { subscription_data: { metadata: { ...metadata } } }) };
}

/**
 * The sale that an event tells of: `checkout.session.completed` and `checkout.session.async_payment_succeeded` for a
 * first payment, `invoice.paid` for that and for renewals. A first payment that comes by two events has one id, so it
 * counts once. Amounts are turned from Stripe's units into those of ISO 4217.
 */
export function saleFromEvent({ type, data: { object } }: StripeEvent): SaleFromEvent {
  if (/^checkout\.session\.(completed|async_payment_succeeded)$/.test(type)) return saleOfSession(object as Session);
  if (type === "invoice.paid") return saleOfInvoice(object as Invoice);
  return none("other_event");
}

/**
 * The refund that a `charge.refunded` tells of, by its running total, so that events may come twice or in any order.
 *
 * The sale is known by its invoice, which a charge no longer names since 2025-03-31: `invoiceOf` looks it up, and gives
 * null for a payment without one. What it throws comes out of here.
 *
 * ```js
 * const invoiceOf = async ({ payment_intent }) => {
 *   const payment = { type: "payment_intent", payment_intent };
 *   return (await stripe.invoicePayments.list({ payment, limit: 1 })).data[0]?.invoice ?? null;
 * };
 * ```
 */
export async function refundFromEvent(
  { type, data: { object } }: StripeEvent,
  { invoiceOf }: { readonly invoiceOf: (charge: StripeCharge) => Promise<Reference> | Reference },
): Promise<RefundFromEvent> {
  if (type !== "charge.refunded") return { refund: null, reason: "other_event" };
  const charge = object as Charge;
  if (!(charge.amount_refunded > 0)) return { refund: null, reason: "zero_amount" };
  const invoice = charge.invoice === undefined ? await invoiceOf(charge) : charge.invoice;
  const invoiceId = idOf(invoice) ?? idOf(charge.payment_intent);
  if (invoiceId === undefined) return { refund: null, reason: "unknown_payment" };
  return { refund: { invoiceId, refundedTotal: isoAmount(charge.amount_refunded, charge.currency) }, reason: null };
}

function saleOfSession(session: Session): SaleFromEvent {
  if (session.payment_status !== "paid" && session.amount_total) return none("unpaid");
  const { metadata, invoice, payment_intent, subscription, mode, id } = session;
  return saleOf({
    metadata,
    amount: session.amount_total,
    currency: session.currency,
    invoiceId: idOf(invoice) ?? idOf(payment_intent) ?? id,
    subscriptionId: mode === "subscription" ? idOf(subscription) : undefined,
    isRecurring: false,
  });
}

function saleOfInvoice(invoice: Invoice): SaleFromEvent {
  if (invoice.status !== "paid") return none("unpaid");
  const details = invoice.parent?.subscription_details;
  const kept = [details, invoice.subscription_details, ...(invoice.lines?.data ?? []), invoice];
  return saleOf({
    metadata: kept.map((place) => place?.metadata).find((metadata) => metadata?.svc_customer_key),
    amount: invoice.amount_paid,
    currency: invoice.currency,
    invoiceId: invoice.id,
    subscriptionId: idOf(details?.subscription) ?? idOf(invoice.subscription),
    isRecurring: invoice.billing_reason === "subscription_cycle",
  });
}

interface Payment {
  readonly metadata: Metadata;
  readonly amount: number | null;
  readonly currency: string | null;
  readonly invoiceId: string;
  readonly subscriptionId: string | undefined;
  readonly isRecurring: boolean;
}

/** The same fields whichever event tells of it, so that the second one is a plain repeat. */
function saleOf({ metadata, amount, currency, invoiceId, subscriptionId, isRecurring }: Payment): SaleFromEvent {
  if (!amount || currency === null) return none("zero_amount");
  const customerExternalId = metadata?.svc_customer_key;
  if (!customerExternalId) return none("no_customer_key");
  const sale: SaleInput = {
    customerExternalId,
    amount: isoAmount(amount, currency),
    currency: currency.toUpperCase(),
    invoiceId,
    clickId: metadata.svc_click_id || null,
    saleType: subscriptionId === undefined ? "payment" : "subscription",
    subscriptionId: subscriptionId ?? null,
    isRecurring,
  };
  return { sale, reason: null };
}

const none = (reason: Exclude<SaleFromEvent["reason"], null>): SaleFromEvent => ({ sale: null, reason });

const idOf = (reference: Reference): string | undefined =>
  (typeof reference === "string" ? reference : reference?.id) || undefined;

/**
 * By how many decimals Stripe's unit is smaller than the smallest unit of ISO 4217: it sends ISK and UGX with two
 * decimals, where there are none, and MGA with none, where there are two. Three-decimal currencies agree.
 * https://docs.stripe.com/currencies
 */
const extraDecimals: Readonly<Record<string, number>> = { ISK: 2, UGX: 2, MGA: -2 };

const isoAmount = (amount: number, currency: string): number =>
  Math.round(amount / 10 ** (extraDecimals[currency.toUpperCase()] ?? 0));

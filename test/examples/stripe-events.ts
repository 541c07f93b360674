import type Stripe from "stripe";
import { chargeOf, intentOf } from "./stripe-charge.ts";
import { invoiceOf } from "./stripe-invoice.ts";
import { type NamesOf, type Payment, stripeId } from "./stripe-payment.ts";
import { sessionOf } from "./stripe-session.ts";

export interface StripeEventJson {
  readonly id: string;
  readonly type: string;
  readonly created: number;
  readonly livemode: boolean;
  readonly data: { readonly object: object };
}

/** `afterSeconds` is the time since the payment. */
function eventOf({ api, at, livemode }: Payment, type: string, object: object, afterSeconds = 0): StripeEventJson {
  const event = {
    id: stripeId("evt"),
    object: "event",
    api_version: api,
    created: at + afterSeconds,
    data: { object },
    livemode,
    pending_webhooks: 1,
    request: { id: null, idempotency_key: null },
    type,
  };
  return event;
}

export const checkoutCompleted = (payment: Payment, over?: Partial<Stripe.Checkout.Session>): StripeEventJson =>
  eventOf(payment, "checkout.session.completed", sessionOf(payment, over));

/** The session's event for payments that take days, such as SEPA debits. */
export const checkoutPaidLater = (payment: Payment): StripeEventJson =>
  eventOf(payment, "checkout.session.async_payment_succeeded", sessionOf(payment));

export const invoicePaid = (payment: Payment): StripeEventJson =>
  eventOf(payment, "invoice.paid", invoiceOf(payment), 2);

/** `refundedTotal` is the sum of all refunds so far. */
export const chargeRefunded = (payment: Payment, refundedTotal: number, afterSeconds = 60): StripeEventJson =>
  eventOf(payment, "charge.refunded", chargeOf(payment, refundedTotal), afterSeconds);

export const intentSucceeded = (payment: Payment): StripeEventJson =>
  eventOf(payment, "payment_intent.succeeded", intentOf(payment));

export interface RefundJson {
  readonly id: string;
  readonly amount: number;
  readonly status?: "pending" | "requires_action" | "succeeded" | "failed" | "canceled";
  /** True if the refund releases an uncaptured amount. */
  readonly isRelease?: boolean;
}

/** Returns `refund.created`, or a later event of the same refund. */
export function refundEvent(
  payment: Payment,
  { id, amount, status = "succeeded", isRelease = false }: RefundJson,
  type: "refund.created" | "refund.updated" | "refund.failed" | "charge.refund.updated" = "refund.created",
  afterSeconds = 60,
): StripeEventJson {
  const refund = {
    id,
    object: "refund",
    amount,
    balance_transaction: isRelease ? null : stripeId("txn"),
    charge: payment.charge,
    created: payment.at + 60,
    currency: payment.currency,
    metadata: {},
    payment_intent: payment.paymentIntent,
    reason: null,
    receipt_number: null,
    source_transfer_reversal: null,
    status,
    transfer_reversal: null,
  } satisfies NamesOf<Stripe.Refund>;
  return eventOf(payment, type, refund, afterSeconds);
}

export function disputeEvent(
  payment: Payment,
  { id, amount }: { readonly id: string; readonly amount: number },
  type: "created" | "funds_withdrawn" | "funds_reinstated" | "closed",
  afterSeconds = 120,
): StripeEventJson {
  const dispute = {
    id,
    object: "dispute",
    amount,
    balance_transactions: [],
    charge: payment.charge,
    created: payment.at + 100,
    currency: payment.currency,
    evidence_details: { due_by: null, has_evidence: false, past_due: false, submission_count: 0 },
    is_charge_refundable: false,
    livemode: payment.livemode,
    metadata: {},
    payment_intent: payment.paymentIntent,
    reason: "fraudulent",
    status: type === "funds_reinstated" ? "won" : "needs_response",
  } satisfies NamesOf<Stripe.Dispute>;
  return eventOf(payment, `charge.dispute.${type}`, dispute, afterSeconds);
}

/** `outOfBand` is the amount paid back outside Stripe. The rest is a refund or a credit to the customer's balance. */
export function creditNote(
  payment: Payment,
  { id, amount, outOfBand }: { readonly id: string; readonly amount: number; readonly outOfBand: number },
  type: "created" | "voided" = "created",
  afterSeconds = 180,
): StripeEventJson {
  const note = {
    id,
    object: "credit_note",
    amount,
    amount_shipping: 0,
    created: payment.at + 150,
    currency: payment.currency,
    customer: payment.customer,
    customer_balance_transaction: null,
    invoice: payment.invoice,
    livemode: payment.livemode,
    metadata: {},
    out_of_band_amount: outOfBand,
    post_payment_amount: amount,
    pre_payment_amount: 0,
    status: type === "voided" ? "void" : "issued",
    total: amount,
    type: "post_payment",
  } satisfies NamesOf<Stripe.CreditNote>;
  return eventOf(payment, `credit_note.${type}`, note, afterSeconds);
}

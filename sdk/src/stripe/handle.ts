import type { TributaryClient } from "../client.ts";
import type { CallOptions, RefundInput, SaleInput } from "../inputs.ts";
import type { Failure, RefundResult, SaleResult } from "../results.ts";
import { type Include, isoAmount } from "./amounts.ts";
import { lookUp, type Paid, paidFor, type StripeClient } from "./look-up.ts";
import {
  type Charge,
  type CreditNote,
  type Dispute,
  type Invoice,
  idOf,
  type PaymentIntent,
  type Reference,
  type Refund,
  type Session,
  type StripeEvent,
} from "./objects.ts";
import { capturedOf, givenBack, refundOfCharge } from "./refund.ts";
import {
  isInvoicePaid,
  isSessionPaid,
  type Keys,
  keysIn,
  keysOfInvoice,
  keysOfSession,
  momentOf,
  type PaymentFrom,
  paymentOfIntent,
  paymentOfInvoice,
  paymentOfSession,
  saleOf,
  subscriptionOf,
} from "./sale.ts";

export interface StripeOptions {
  readonly tributary: TributaryClient;
  /** Stripe's own client, for what an event doesn't say. Without it refunds are taken from `charge.refunded` alone. */
  readonly stripe?: StripeClient | undefined;
  /** Parts of a payment that earn too. Default: none, so that sales are net of tax and shipping. */
  readonly include?: Include | undefined;
  /** The endpoint receives `invoice.paid`: with `stripe`, payments with an invoice are then taken from it alone. */
  readonly invoices?: boolean | undefined;
  /** The events that report refunds: the endpoint receives one kind. Default: `refund.*`. */
  readonly refundEvents?: "refund.*" | "charge.refunded" | undefined;
  /**
   * Takes Stripe's test payments for real ones, for a program that is only used for staging. Default: they are recorded in
   * the program's test book.
   */
  readonly staging?: boolean | undefined;
}

/** The answer to give to Stripe. */
export interface StripeAnswer {
  /** 200: done. 500 and 503: Stripe is to deliver the event again, which it does for three days. */
  readonly status: 200 | 500 | 503;
  /** For whoever looks at the delivery in Stripe's dashboard. */
  readonly body: string;
}

/** The result of looking at an event. */
type Found =
  | { readonly sale: SaleInput }
  /** `ifUnknown`: why the sale may have another id than the refund names. */
  | { readonly refund: RefundInput; readonly ifUnknown?: string }
  /** Nothing to report. */
  | { readonly skip: string }
  /** Nothing that can be reported. */
  | { readonly refused: string }
  /** Something that can't be looked up. */
  | { readonly missing: string };

const dayMs = 24 * 60 * 60 * 1_000;
/** Stripe waits for its answer, and delivers again by itself. */
const inWebhook = { retries: 0, timeoutMs: 3_000, onError: () => {} } satisfies CallOptions;

/**
 * Reports the payment, refund or dispute of a verified event, and gives the answer for Stripe. Never rejects.
 *
 * ```js
 * const event = await stripe.webhooks.constructEventAsync(rawBody, signature, webhookSecret);
 * const { status, body } = await handleStripeEvent(event, { tributary, stripe, invoices: true });
 * return new Response(body, { status });
 * ```
 *
 * Events may come twice, late and in any order. Amounts are net of tax and shipping unless they are included, and of the
 * time of the payment. An event that can't be reported is passed to the client's `onError`, and answered 200.
 */
export async function handleStripeEvent(event: StripeEvent, options: StripeOptions): Promise<StripeAnswer> {
  const { tributary } = options;
  const isYoung = event.created !== undefined && Date.now() - event.created * 1_000 < dayMs;
  const report = (message: string, failure?: Failure) =>
    tributary.report({
      source: "stripe",
      message: `${event.type} ${event.id}: ${message}`,
      ...(failure && { failure }),
    });
  const done = (body: string): StripeAnswer => ({ status: 200, body });
  const refused = (message: string, failure?: Failure): StripeAnswer => {
    report(message, failure);
    return done(message);
  };
  const later = (status: 500 | 503, message: string, failure?: Failure): StripeAnswer => {
    report(message, failure);
    return { status, body: message };
  };

  const settle = async (found: Found): Promise<StripeAnswer> => {
    if ("skip" in found) return done(`Nothing to report: ${found.skip}.`);
    if ("refused" in found) return refused(found.refused);
    if ("missing" in found) return isYoung ? later(500, found.missing) : refused(found.missing);
    const result = await send(found, event, options);
    if (result.ok) return done(result.duplicate ? "Recorded before." : "Recorded.");
    const { status, error } = result;
    if (!isAheadOfSale(found, result)) {
      const isFinal = !result.retryable && [400, 409, 413].includes(status);
      return isFinal ? refused(error.message, result) : later(503, error.message, result);
    }
    const known = "sale" in found && (await withKeysFromStripe(event, options));
    if (known) return settle(known);
    const message = ("refund" in found && found.ifUnknown) || error.message;
    if (!isYoung) return refused(message, result);
    // Its sale may come by another event, which is on its way.
    return message === error.message ? { status: 503, body: message } : later(500, message, result);
  };

  try {
    return await settle(await look(event, options));
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    if (error instanceof TypeError || error instanceof RangeError) return refused(message);
    // A look-up that Stripe refused will hardly be answered later.
    const status = Number(Object(error).statusCode);
    const isRefusal = status >= 400 && status < 500 && status !== 401 && status !== 429;
    return isRefusal && !isYoung ? refused(message) : later(503, message);
  }
}

const isAheadOfSale = (found: Found, { status, error }: Failure): boolean =>
  "refund" in found
    ? status === 404 && error.message.startsWith("Sale not found")
    : error.details.unknownSubscriptionId === true;

async function look(event: StripeEvent, options: StripeOptions): Promise<Found> {
  const { type, data } = event;
  if (isSessionPaid(type)) return ofSession(data.object as Session, event, options);
  if (isInvoicePaid(type)) return ofInvoice(data.object as Invoice, event, options);
  if (type === "payment_intent.succeeded") return ofIntent(data.object as PaymentIntent, event, options);
  if (type === "charge.refunded") return ofCharge(data.object as Charge, event, options);
  if (/^(charge\.)?refund\./.test(type)) return ofRefund(data.object as Refund, event, options);
  if (type === "charge.dispute.funds_withdrawn") return ofDispute(data.object as Dispute, event, options, false);
  if (type === "charge.dispute.funds_reinstated") return ofDispute(data.object as Dispute, event, options, true);
  if (type === "credit_note.created") return ofCreditNote(data.object as CreditNote, event, options, false);
  if (type === "credit_note.voided") return ofCreditNote(data.object as CreditNote, event, options, true);
  return { skip: "this kind of event says nothing about a payment" };
}

async function ofSession(session: Session, event: StripeEvent, options: StripeOptions): Promise<Found> {
  const { stripe, invoices, include = [] } = options;
  const payment = paymentOfSession(session, event.created, include);
  const invoiceId = idOf(session.invoice);
  if (typeof payment === "string" || !stripe || invoiceId === undefined) {
    return reported(payment, keysOfSession(session), options);
  }
  if (invoices) return { skip: "its invoice reports it" };
  const paid = paymentOfInvoice(await lookUp(stripe).invoice(invoiceId), event.created, include);
  if (paid === "unpaid") return { missing: "its invoice isn't paid yet" };
  return reported(paid, keysOfSession(session), options);
}

async function ofInvoice(
  invoice: Invoice,
  { created }: StripeEvent,
  options: StripeOptions,
  found?: Keys,
): Promise<Found> {
  const { stripe, include = [] } = options;
  const payment = paymentOfInvoice(invoice, created, include);
  if (typeof payment === "string") return reported(payment, {}, options);
  const subscriptionId = subscriptionOf(invoice);
  const isFirst =
    stripe !== undefined &&
    subscriptionId !== undefined &&
    invoice.billing_reason === "subscription_cycle" &&
    (await lookUp(stripe).isAfterTrial(invoice, subscriptionId));
  const own = found ?? keysOfInvoice(invoice);
  const isKnown = own.customerKey ?? own.clickId ?? subscriptionId;
  const keys = isKnown || !stripe ? own : await lookUp(stripe).keysFor(invoice);
  return reported(isFirst ? { ...payment, isRecurring: false } : payment, keys, options);
}

/** The sale of an invoice whose subscription no sale has named yet, by keys that are elsewhere in Stripe. */
async function withKeysFromStripe(event: StripeEvent, options: StripeOptions): Promise<Found | undefined> {
  const { stripe } = options;
  if (!stripe || !isInvoicePaid(event.type)) return undefined;
  const invoice = event.data.object as Invoice;
  const keys = await lookUp(stripe).keysFor(invoice);
  return keys.customerKey || keys.clickId ? ofInvoice(invoice, event, options, keys) : undefined;
}

async function ofIntent(intent: PaymentIntent, event: StripeEvent, options: StripeOptions): Promise<Found> {
  const { stripe, include = [] } = options;
  const isManual = intent.capture_method === "manual";
  const own = keysIn(intent.metadata);
  if (!own.customerKey && !own.clickId && !(isManual && stripe)) {
    return { skip: "a payment intent without our metadata; a session or an invoice may report it" };
  }
  if (intent.invoice || (stripe && (await lookUp(stripe).hasInvoice(intent))))
    return { skip: "its invoice reports it" };
  const session = stripe && (await lookUp(stripe).session({ payment_intent: intent.id }));
  // A session is paid as soon as the payment is, unless that is captured later.
  if (session && !isManual) return { skip: "its checkout session reports it" };
  const keys = own.customerKey || own.clickId || !session ? own : keysOfSession(session);
  return reported(paymentOfIntent(intent, event.created, include, session), keys, options);
}

function reported(payment: PaymentFrom, keys: Keys, { tributary }: StripeOptions): Found {
  if (payment === "unpaid") return { skip: "it isn't paid" };
  if (payment === "zero_amount") return { skip: "its amount is 0 or less" };
  if (keys.programId && keys.programId !== String(tributary.programId)) {
    return { refused: `it belongs to program ${keys.programId}, and the key to program ${tributary.programId}` };
  }
  const sale = saleOf(payment, keys);
  return sale
    ? { sale }
    : { refused: "it names no customer. Set checkoutMetadata on the checkout; it was not recorded" };
}

async function ofCharge(charge: Charge, event: StripeEvent, options: StripeOptions): Promise<Found> {
  if (options.refundEvents !== "charge.refunded") {
    const isChosen = options.refundEvents !== undefined;
    return isChosen
      ? { skip: "refund.* reports it" }
      : { refused: 'set refundEvents, to "charge.refunded" if the endpoint receives no refund.*' };
  }
  if (!(givenBack(charge) > 0)) return { skip: "nothing is refunded" };
  const paymentIntentId = idOf(charge.payment_intent);
  if (options.stripe && paymentIntentId) {
    const { saleId, chargeTotal } = await lookUp(options.stripe).paidWith(paymentIntentId);
    return { refund: refundOfCharge(charge, saleId, chargeTotal, event.created) };
  }
  const saleId = idOf(charge.invoice) ?? paymentIntentId;
  if (saleId === undefined) return unknownPayment;
  const refund = refundOfCharge(charge, saleId, capturedOf(charge), event.created);
  const isSure = charge.invoice !== undefined;
  return isSure ? { refund } : { refund, ifUnknown: missing("the invoice of this charge") };
}

async function ofRefund(refund: Refund, event: StripeEvent, options: StripeOptions): Promise<Found> {
  if (options.refundEvents === "charge.refunded") return { skip: "charge.refunded reports it" };
  const isCanceled = refund.status === "failed" || refund.status === "canceled";
  if (refund.status === "requires_action") return { skip: "the refund isn't made yet" };
  const amount = isoAmount(refund.amount, refund.currency);
  return refundOfPayment(refund.payment_intent, options, ({ saleId, chargeTotal, uncaptured }) => {
    if (amount === uncaptured)
      return { refused: "taken for the part that wasn't captured, which is no refund of a sale" };
    const common = { invoiceId: saleId, refundId: refund.id };
    if (isCanceled) return { refund: { ...common, cancel: true, occurredAt: momentOf(event.created) } };
    return { refund: { ...common, amount, chargeTotal, occurredAt: momentOf(refund.created) } };
  });
}

/** As totals, so that money that is withdrawn, reinstated and withdrawn again counts right in any order. */
function ofDispute(dispute: Dispute, event: StripeEvent, options: StripeOptions, isBack: boolean): Promise<Found> {
  return refundOfPayment(dispute.payment_intent, options, ({ saleId, chargeTotal }) => ({
    refund: {
      invoiceId: saleId,
      refundId: dispute.id,
      refundedTotal: isBack ? 0 : isoAmount(dispute.amount, dispute.currency),
      ...(isBack && { cancel: true }),
      chargeTotal,
      reason: "dispute",
      occurredAt: momentOf(event.created),
    },
  }));
}

/**
 * A refund has an event of its own, and a credit to the customer's balance makes a later invoice's payment smaller: left
 * is what was given back outside Stripe.
 */
async function ofCreditNote(
  note: CreditNote,
  event: StripeEvent,
  { stripe }: StripeOptions,
  isVoid: boolean,
): Promise<Found> {
  const amount = isoAmount(note.out_of_band_amount ?? 0, note.currency);
  const saleId = idOf(note.invoice);
  if (!(amount > 0) || saleId === undefined) return { skip: "nothing was given back outside Stripe" };
  const common = { invoiceId: saleId, refundId: note.id };
  if (isVoid) return { refund: { ...common, cancel: true, occurredAt: momentOf(event.created) } };
  if (!stripe) return { missing: missing("the invoice's total") };
  const { chargeTotal } = paidFor(await lookUp(stripe).invoice(saleId));
  return { refund: { ...common, amount, chargeTotal, occurredAt: momentOf(note.created) } };
}

async function refundOfPayment(
  paymentIntent: Reference,
  { stripe }: StripeOptions,
  found: (paid: Paid) => Found,
): Promise<Found> {
  const id = idOf(paymentIntent);
  if (id === undefined) return unknownPayment;
  if (!stripe) return { missing: missing("the sale and the total of this payment") };
  return found(await lookUp(stripe).paidWith(id));
}

const missing = (what: string): string => `pass stripe to handleStripeEvent: without it, ${what} can't be looked up`;
const unknownPayment = { skip: "it names no payment intent, so no sale of ours" } as const;

function send(
  found: { readonly sale: SaleInput } | { readonly refund: RefundInput },
  { livemode }: StripeEvent,
  { tributary, staging }: StripeOptions,
): Promise<SaleResult | RefundResult> {
  const testMode = livemode === false && !staging;
  if ("refund" in found) return tributary.trackRefund({ ...found.refund, testMode }, inWebhook);
  return testMode ? tributary.trackTestSale(found.sale, inWebhook) : tributary.trackSale(found.sale, inWebhook);
}

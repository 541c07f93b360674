import type { CallOptions, RefundInput, SaleInput } from "../inputs.ts";
import type { Failure, RefundResult, SaleResult } from "../results.ts";
import { type Found, isYoung, type StripeOptions } from "./found.ts";
import type { Charge, CreditNote, Dispute, Invoice, PaymentIntent, Refund, Session, StripeEvent } from "./objects.ts";
import { ofIntent, ofInvoice, ofSession, withKeysFromStripe } from "./payment-events.ts";
import { ofCharge, ofCreditNote, ofDispute, ofRefund } from "./refund-events.ts";
import { isInvoicePaid, isSessionPaid } from "./sale.ts";

/** The response for Stripe. */
export interface StripeAnswer {
  /** 200: done. 500 and 503: Stripe delivers the event again, for up to three days. */
  readonly status: 200 | 500 | 503;
  /** Shown with the delivery in Stripe's dashboard. */
  readonly body: string;
}

/** Stripe waits for the response, and retries by itself. */
const inWebhook = { retries: 0, timeoutMs: 3_000, onError: () => {} } satisfies CallOptions;

/**
 * Reports the payment, refund or dispute of a verified event, and returns the response for Stripe. Never rejects.
 *
 * ```js
 * const event = await stripe.webhooks.constructEventAsync(rawBody, signature, webhookSecret);
 * const { status, body } = await handleStripeEvent(event, { tributary, stripe, invoices: true });
 * return new Response(body, { status });
 * ```
 *
 * Events may arrive twice, late and in any order. Amounts are net of tax and shipping unless these are included. Sales
 * have the time of the payment. An event that can't be reported is passed to the client's `onError`, and answered with
 * 200.
 */
export async function handleStripeEvent(event: StripeEvent, options: StripeOptions): Promise<StripeAnswer> {
  const { tributary } = options;
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
    if ("missing" in found) return isYoung(event) ? later(500, found.missing) : refused(found.missing);
    const sent = trySending(found, event, options);
    if (typeof sent === "string") return refused(sent);
    const result = await sent;
    if (result.ok) return done(result.duplicate ? "Already recorded." : "Recorded.");
    const { status, error } = result;
    if (!isAheadOfSale(found, result)) {
      const isFinal = !result.retryable && [400, 409, 413].includes(status);
      return isFinal ? refused(error.message, result) : later(503, error.message, result);
    }
    const known = "sale" in found && (await withKeysFromStripe(event, options));
    if (known) return settle(known);
    const message = ("refund" in found && found.ifUnknown) || error.message;
    if (!isYoung(event)) return refused(message, result);
    // Another event, which hasn't arrived yet, may report the sale.
    return message === error.message ? { status: 503, body: message } : later(500, message, result);
  };

  try {
    return await settle(await look(event, options));
  } catch (error) {
    const message = messageOf(error);
    // Caused by the event itself, unless Stripe was asked: then its response may be the cause.
    const isFault = error instanceof TypeError || error instanceof RangeError;
    if (isFault && !options.stripe) return refused(message);
    const status = Number(Object(error).statusCode);
    const isRefusal = status >= 400 && status < 500 && ![401, 403, 429].includes(status);
    // A lookup that Stripe refused will hardly succeed later.
    return (isFault || isRefusal) && !isYoung(event) ? refused(message) : later(503, message);
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

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
  return { skip: "this type of event doesn't report a payment" };
}

/** Returns the message if the client refuses the arguments. */
function trySending(
  found: { readonly sale: SaleInput } | { readonly refund: RefundInput },
  { livemode }: StripeEvent,
  { tributary, staging }: StripeOptions,
): Promise<SaleResult | RefundResult> | string {
  const testMode = livemode === false && !staging;
  try {
    if ("refund" in found) return tributary.trackRefund({ ...found.refund, testMode }, inWebhook);
    return testMode ? tributary.trackTestSale(found.sale, inWebhook) : tributary.trackSale(found.sale, inWebhook);
  } catch (error) {
    return messageOf(error);
  }
}

import type { Found } from "../processors/found.ts";
import { firstKeys, hasKeys, type Keys, keysIn } from "../processors/keys.ts";
import { type Payment, type PaymentFrom, reported } from "../processors/payment.ts";
import { completeInvoice, completeSession } from "./complete.ts";
import { joined } from "./coupons.ts";
import { isYoung, type StripeFound, type StripeOptions } from "./found.ts";
import { lookUp, type StripeClient } from "./look-up.ts";
import { type Invoice, idOf, type PaymentIntent, type Session, type StripeEvent } from "./objects.ts";
import {
  isInvoicePaid,
  isSessionPaid,
  keysOfInvoice,
  keysOfSession,
  likeItsSession,
  paymentOfIntent,
  paymentOfInvoice,
  paymentOfSession,
  subscriptionOf,
} from "./sale.ts";

export async function ofSession(session: Session, event: StripeEvent, options: StripeOptions): Promise<StripeFound> {
  const { stripe, invoices, include = [] } = options;
  const payment = paymentOfSession(session, event.created, include);
  if (typeof payment === "string" || !stripe) return reported(payment, keysOfSession(session), options);
  const isInvoiced = session.invoice != null || session.invoice_creation?.enabled === true;
  if (isInvoiced && invoices) return { skip: "its invoice reports it" };
  const invoiceId = idOf(session.invoice) ?? (isInvoiced ? await invoiceMade(session, stripe) : undefined);
  // Waits for the invoice, because refunds name the invoice's sale. A sale under the payment's id would be another
  // sale.
  if (isInvoiced && invoiceId === undefined && isYoung(event)) return { missing: "its invoice doesn't exist yet" };
  if (invoiceId === undefined) {
    const complete = await completeSession(session, event, stripe);
    return reported(paymentOfSession(complete, event.created, include), keysOfSession(session), options);
  }
  const paid = await paidByInvoice(await lookUp(stripe).invoice(invoiceId), event, options);
  if (paid === "unpaid") return { missing: "its invoice isn't paid yet" };
  return reported(withCodesOf(payment, paid), keysOfSession(session), options);
}

/** Adds the session's coupon codes, which are known even if Stripe's key has no access to promotion codes. */
const withCodesOf = (session: Payment, invoice: PaymentFrom): PaymentFrom =>
  typeof invoice === "string" ? invoice : { ...invoice, couponCodes: joined(invoice.couponCodes, session.couponCodes) };

/** Finds an invoice that was created after the event. */
async function invoiceMade({ payment_intent }: Session, stripe: StripeClient): Promise<string | undefined> {
  const id = idOf(payment_intent);
  return id === undefined ? undefined : idOf((await lookUp(stripe).session({ payment_intent: id }))?.invoice);
}

export async function ofInvoice(
  invoice: Invoice,
  event: StripeEvent,
  options: StripeOptions,
  found?: Keys,
): Promise<Found> {
  const { stripe } = options;
  const payment = await paidByInvoice(invoice, event, options);
  if (typeof payment === "string") return reported(payment, {}, options);
  const subscriptionId = subscriptionOf(invoice);
  const own = found ?? keysOfInvoice(invoice);
  const isKnown = hasKeys(own) || subscriptionId !== undefined;
  const keys = isKnown || !stripe ? own : firstKeys([own, await lookUp(stripe).keysFor(invoice)]);
  return reported(payment, keys, options);
}

async function paidByInvoice(
  invoice: Invoice,
  event: StripeEvent,
  { stripe, include = [] }: StripeOptions,
): Promise<PaymentFrom> {
  const payment = paymentOfInvoice(invoice, event.created, include);
  if (typeof payment === "string" || !stripe) return likeItsSession(payment);
  return paymentOfInvoice(await completeInvoice(invoice, event, stripe), event.created, include);
}

/**
 * Returns the sale for an invoice whose subscription no earlier sale has named, with keys that are found elsewhere in
 * Stripe.
 */
export async function withKeysFromStripe(event: StripeEvent, options: StripeOptions): Promise<Found | undefined> {
  const { stripe } = options;
  const invoice = stripe && (await invoiceOf(event, stripe));
  if (!invoice) return undefined;
  const own = keysOfInvoice(invoice);
  const keys = hasKeys(own) ? own : firstKeys([own, await lookUp(stripe).keysFor(invoice)]);
  return hasKeys(keys) ? ofInvoice(invoice, event, options, keys) : undefined;
}

async function invoiceOf({ type, data }: StripeEvent, stripe: StripeClient): Promise<Invoice | undefined> {
  if (isInvoicePaid(type)) return data.object as Invoice;
  const id = isSessionPaid(type) ? idOf((data.object as Session).invoice) : undefined;
  return id === undefined ? undefined : lookUp(stripe).invoice(id);
}

export async function ofIntent(intent: PaymentIntent, event: StripeEvent, options: StripeOptions): Promise<Found> {
  const { stripe, include = [] } = options;
  const methods = Object.values(intent.payment_method_options ?? {});
  const isManual = [intent, ...methods].some((settings) => settings?.capture_method === "manual");
  const own = keysIn(intent.metadata);
  if (!hasKeys(own) && own.ignored === undefined && !(isManual && stripe)) {
    return { skip: "a payment intent without our metadata; a session or an invoice may report it" };
  }
  if (intent.invoice || (stripe && (await lookUp(stripe).hasInvoice(intent))))
    return { skip: "its invoice reports it" };
  const found = stripe && (await lookUp(stripe).session({ payment_intent: intent.id }));
  // A session's payment is complete when the session is, unless the payment is captured later.
  if (found && !isManual) return { skip: "its checkout session reports it" };
  const session = found && (await completeSession(found, event, stripe));
  const keys = firstKeys([own, ...(session ? [keysOfSession(session)] : [])]);
  return reported(paymentOfIntent(intent, event.created, include, session), keys, options);
}

import type { Keys } from "../processors/keys.ts";
import { momentOf } from "../processors/payment.ts";
import { isoAmount } from "../processors/stripe-unit.ts";
import { type StripeFound, type StripeOptions, withoutStripe } from "./found.ts";
import { lookUp, type Paid, paidFor } from "./look-up.ts";
import {
  type Charge,
  type CreditNote,
  type Dispute,
  idOf,
  type Reference,
  type Refund,
  type StripeEvent,
} from "./objects.ts";
import { capturedOf, givenBack, refundOfCharge } from "./refund.ts";

export async function ofCharge(charge: Charge, event: StripeEvent, options: StripeOptions): Promise<StripeFound> {
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
  return isSure ? { refund } : { refund, ifUnknown: withoutStripe("the invoice of this charge") };
}

export async function ofRefund(refund: Refund, event: StripeEvent, options: StripeOptions): Promise<StripeFound> {
  const isCanceled = refund.status === "failed" || refund.status === "canceled";
  if (options.refundEvents === "charge.refunded") {
    return isCanceled ? ofFallenTotal(refund, event, options) : { skip: "charge.refunded reports it" };
  }
  if (refund.status === "requires_action") return { skip: "the refund still requires action" };
  const amount = isoAmount(refund.amount, refund.currency);
  return refundOfPayment(refund.payment_intent, options, ({ saleId, chargeTotal, uncaptured }) => {
    if (chargeTotal === 0) return { skip: "the payment wasn't captured" };
    // Releasing the uncaptured part moves no money.
    if (amount === uncaptured && !refund.balance_transaction)
      return { refused: "treated as the part that wasn't captured, which is not a refund of a sale" };
    const common = { invoiceId: saleId, refundId: refund.id };
    if (isCanceled) return { refund: { ...common, cancel: true, occurredAt: momentOf(event.created) } };
    return { refund: { ...common, amount, chargeTotal, occurredAt: momentOf(refund.created) } };
  });
}

/** A failed refund lowers the charge's total, but no `charge.refunded` reports the lower total. */
async function ofFallenTotal(refund: Refund, event: StripeEvent, { stripe }: StripeOptions): Promise<StripeFound> {
  const [chargeId, paymentIntentId] = [idOf(refund.charge), idOf(refund.payment_intent)];
  if (chargeId === undefined || paymentIntentId === undefined) return unknownPayment;
  if (!stripe) return { missing: withoutStripe("the charge of this failed refund") };
  const charge = await lookUp(stripe).charge(chargeId);
  const { saleId, chargeTotal } = await lookUp(stripe).paidWith(paymentIntentId);
  return { refund: { ...refundOfCharge(charge, saleId, chargeTotal, event.created), cancel: true } };
}

/**
 * Reports a dispute as a total, which is correct in any order of events, even if the money is withdrawn, reinstated and
 * withdrawn again.
 */
export function ofDispute(
  dispute: Dispute,
  event: StripeEvent,
  options: StripeOptions,
  isBack: boolean,
): Promise<StripeFound> {
  return refundOfPayment(dispute.payment_intent, options, async (paid) => {
    const { saleId, chargeTotal } = paid;
    const isForeign = !isBack && dispute.currency !== paid.currency;
    const disputed = isForeign
      ? await wholeCharge(dispute, paid, options)
      : isoAmount(dispute.amount, dispute.currency);
    const refund = {
      invoiceId: saleId,
      refundId: dispute.id,
      refundedTotal: isBack ? 0 : disputed,
      ...(isBack && { cancel: true }),
      chargeTotal,
      reason: "dispute",
      occurredAt: momentOf(event.created),
    };
    return isForeign ? { refund, doubt: foreignDispute(dispute, paid) } : { refund };
  });
}

/**
 * Uses the whole charge, because the rate between a charge and its dispute is unknown, and most disputes are about the
 * whole charge.
 */
async function wholeCharge({ charge }: Dispute, { chargeTotal }: Paid, { stripe }: StripeOptions): Promise<number> {
  const id = idOf(charge);
  return stripe && id !== undefined ? capturedOf(await lookUp(stripe).charge(id)) : chargeTotal;
}

const foreignDispute = (dispute: Dispute, { currency }: Paid): string =>
  `the dispute is in ${dispute.currency.toUpperCase()}, the payment in ${currency.toUpperCase()}: ` +
  "recorded as a dispute of the whole charge";

/**
 * Only the part of a credit note that was returned outside Stripe is reported here. Its refunds have their own events,
 * and a credit to the customer's balance reduces the payment of a later invoice.
 */
export async function ofCreditNote(
  note: CreditNote,
  event: StripeEvent,
  { stripe }: StripeOptions,
  isVoid: boolean,
): Promise<StripeFound> {
  const amount = isoAmount(note.out_of_band_amount ?? 0, note.currency);
  const saleId = idOf(note.invoice);
  if (!(amount > 0) || saleId === undefined) return { skip: "nothing was returned outside Stripe" };
  const common = { invoiceId: saleId, refundId: note.id };
  if (isVoid) return { refund: { ...common, cancel: true, occurredAt: momentOf(event.created) } };
  if (!stripe) return { missing: withoutStripe("the invoice's total") };
  const { chargeTotal } = paidFor(await lookUp(stripe).invoice(saleId));
  return { refund: { ...common, amount, chargeTotal, occurredAt: momentOf(note.created) } };
}

async function refundOfPayment(
  paymentIntent: Reference,
  { stripe }: StripeOptions,
  found: (paid: Paid) => StripeFound | Promise<StripeFound>,
): Promise<StripeFound> {
  const id = idOf(paymentIntent);
  if (id === undefined) return unknownPayment;
  if (!stripe) return { missing: withoutStripe("the sale and the total of this payment") };
  return found(await lookUp(stripe).paidWith(id));
}

/** Returns the customer and click keys of the refund's payment. Undefined if they can't be looked up. */
export async function paymentKeys({ data }: StripeEvent, { stripe }: StripeOptions): Promise<Keys | undefined> {
  const { payment_intent, invoice } = data.object as { payment_intent?: Reference; invoice?: Reference };
  const [paymentIntentId, invoiceId] = [idOf(payment_intent), idOf(invoice)];
  if (stripe && paymentIntentId !== undefined) return lookUp(stripe).keysOfPayment(paymentIntentId);
  return stripe && invoiceId !== undefined ? lookUp(stripe).keysOfInvoiceWithId(invoiceId) : undefined;
}

const unknownPayment = { skip: "it names no payment intent, so its sale is unknown" } as const;

import type { RefundInput } from "../inputs.ts";
import { momentOf } from "../processors/payment.ts";
import { isoAmount } from "../processors/stripe-unit.ts";
import { type Charge, idOf, type Reference, requireEvent, type StripeCharge, type StripeEvent } from "./objects.ts";

/** The arguments of `trackRefund`, or the reason why there is nothing to track. */
export type RefundFromEvent =
  | { readonly refund: RefundInput; readonly reason: null }
  | { readonly refund: null; readonly reason: "other_event" | "zero_amount" | "unknown_payment" };

export interface RefundOptions {
  /** Returns the invoice of a charge's payment, or null if it has none. `refundFromEvent` passes on its exceptions. */
  readonly invoiceOf: (charge: StripeCharge) => Promise<Reference> | Reference;
}

/**
 * The refund that a `charge.refunded` reports, as the charge's running total, so that events may arrive twice or in any
 * order. `handleStripeEvent` also covers other events, and invoices that were paid by several charges.
 *
 * The sale is identified by its invoice. Since API version `2025-03-31.basil`, a charge doesn't name its invoice, so
 * `invoiceOf` looks it up. Rejects with a `TypeError` if the argument isn't an event of Stripe.
 */
export async function refundFromEvent(event: StripeEvent, { invoiceOf }: RefundOptions): Promise<RefundFromEvent> {
  requireEvent(event, "refundFromEvent");
  if (event.type !== "charge.refunded") return { refund: null, reason: "other_event" };
  const charge = event.data.object as Charge;
  if (!(givenBack(charge) > 0)) return { refund: null, reason: "zero_amount" };
  const invoice = charge.invoice === undefined ? await invoiceOf(charge) : charge.invoice;
  const invoiceId = idOf(invoice) ?? idOf(charge.payment_intent);
  if (invoiceId === undefined) return { refund: null, reason: "unknown_payment" };
  return { refund: refundOfCharge(charge, invoiceId, capturedOf(charge), event.created), reason: null };
}

export const capturedOf = ({ amount_captured: captured, amount, currency }: Charge): number =>
  isoAmount(captured ?? amount, currency);

/** Stripe counts the uncaptured part of a charge as refunded, although no one paid it. */
export const givenBack = ({ amount, amount_captured, amount_refunded, captured }: Charge): number =>
  captured === false ? 0 : amount_refunded - (amount - (amount_captured ?? amount));

export const refundOfCharge = (charge: Charge, invoiceId: string, chargeTotal: number, at: number | undefined) => ({
  invoiceId,
  refundId: charge.id,
  refundedTotal: isoAmount(givenBack(charge), charge.currency),
  chargeTotal,
  occurredAt: momentOf(at),
});

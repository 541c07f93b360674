import { type Amount, shareOf } from "../processors/payment.ts";
import { isoAmount } from "../processors/stripe-unit.ts";
import type { Invoice, PaymentIntent, Session, ShippingCost } from "./objects.ts";

/** A part of a payment that earns commissions only if the option `include` names it. */
export type Extra = "tax" | "shipping";
export type Include = readonly Extra[];

const inIso = (amount: number, currency: string): Amount => ({
  amount: isoAmount(amount, currency),
  currency: currency.toUpperCase(),
});

interface Price {
  readonly total: number;
  /** The tax on goods and shipping together. */
  readonly tax: number;
  readonly shipping: ShippingCost | null | undefined;
}

/** The tax on shipping is excluded together with the shipping. */
function withoutExtras({ total, tax, shipping }: Price, include: Include): number {
  const shippingTax = shipping?.amount_tax ?? 0;
  const shippingNet = (shipping?.amount_total ?? 0) - shippingTax;
  const [hasTax, hasShipping] = [include.includes("tax"), include.includes("shipping")];
  return (
    total -
    (hasTax ? 0 : tax - shippingTax) -
    (hasShipping ? 0 : shippingNet) -
    (hasTax && hasShipping ? 0 : shippingTax)
  );
}

/** Returns a session's price without the excluded parts, in Stripe's unit, as `netOfInvoice` does for an invoice. */
export function netOfSession(session: Session, include: Include): number {
  const { amount_total: total, shipping_cost: cost, total_details: details } = session;
  const shipping = cost ?? { amount_total: details?.amount_shipping ?? 0, amount_tax: 0 };
  return withoutExtras({ total: total ?? 0, tax: details?.amount_tax ?? 0, shipping }, include);
}

/**
 * Returns the amount for which a session's payment earns. Undefined if there is no price, for example in mode `setup`.
 */
export function amountOfSession(session: Session, include: Include): Amount | undefined {
  const { amount_total: total, currency } = session;
  if (total === null || currency === null) return undefined;
  const net = netOfSession(session, include);
  const source = session.currency_conversion;
  if (source) return inIso(shareOf(source.amount_total, net, total), source.source_currency);
  return inIso(net, currency);
}

/**
 * Returns the amount for which an invoice earns: only paid money, without the part that a balance or a credit note
 * covers.
 */
export function amountOfInvoice(invoice: Invoice, include: Include): Amount {
  const { amount_paid: paid, currency, total = paid } = invoice;
  return inIso(shareOf(Math.min(paid, total), netOfInvoice(invoice, include), total), currency);
}

/**
 * Returns an invoice's price without the excluded parts. The price includes the part that a balance or a credit note
 * covers.
 */
export function netOfInvoice(invoice: Invoice, include: Include): number {
  const { amount_paid: paid, total = paid, total_excluding_tax: beforeTax, shipping_cost: shipping } = invoice;
  return withoutExtras({ total, tax: beforeTax == null ? taxOf(invoice) : total - beforeTax, shipping }, include);
}

const taxOf = ({ tax, total_taxes: taxes }: Invoice): number =>
  tax ?? (taxes ?? []).reduce((sum, { amount }) => sum + amount, 0);

/** A payment intent that a checkout session created has the same share of tax and shipping as the session. */
export function amountOfIntent(intent: PaymentIntent, include: Include, session?: Session): Amount {
  const { amount_received: received, amount: total = received, currency, amount_details: details } = intent;
  if (session?.amount_total) {
    const whole = amountOfSession(session, ["tax", "shipping"]);
    const net = amountOfSession(session, include);
    if (whole && net) return { ...net, amount: shareOf(captured(intent, session, whole), net.amount, whole.amount) };
  }
  const shipping = { amount_total: details?.shipping?.amount ?? 0, amount_tax: 0 };
  const price = { total, tax: details?.tax?.total_tax_amount ?? 0, shipping };
  return inIso(shareOf(received, withoutExtras(price, include), total), currency);
}

/** Returns the captured part of a session's price. The payment may be in another currency than the price. */
const captured = ({ amount_received: received }: PaymentIntent, { amount_total: total }: Session, whole: Amount) =>
  shareOf(whole.amount, received, total ?? received);

import { createHmac } from "node:crypto";
import type { Order, SubscriptionInvoice } from "@lemonsqueezy/lemonsqueezy.js";

// The envelope is from https://docs.lemonsqueezy.com/help/webhooks/example-payloads. The objects are from
// https://docs.lemonsqueezy.com/api/orders/the-order-object and
// https://docs.lemonsqueezy.com/api/subscription-invoices/the-subscription-invoice-object. Custom data is from
// https://docs.lemonsqueezy.com/help/checkout/passing-custom-data, and the header from
// https://docs.lemonsqueezy.com/help/webhooks/signing-requests

type OrderAttributes = Order["data"]["attributes"];
type InvoiceAttributes = SubscriptionInvoice["data"]["attributes"];

/**
 * The types as documented. Those of the package differ: JSON has no dates, refunds may be partial, and plans change.
 */
interface Documented {
  readonly status: OrderAttributes["status"] | InvoiceAttributes["status"] | "partial_refund";
  readonly refunded_at: string | null;
  readonly billing_reason: InvoiceAttributes["billing_reason"] | "updated";
}

type Some<Attributes> = Partial<Omit<Attributes, keyof Documented> & Documented>;

export interface LemonSqueezyCharge {
  readonly id: string;
  readonly customData?: object;
  /** The amount after discounts and with tax. */
  readonly total: number;
  readonly tax: number;
  readonly isTaxInclusive?: boolean;
  readonly discount?: number;
  readonly refunded?: number;
  readonly currency?: string;
  readonly status?: Documented["status"];
  readonly isTest?: boolean;
  readonly at?: number;
  readonly formatted?: string;
}

const moment = (at: number) => new Date(at).toISOString().replace("Z", "000Z");
const now = Date.now();

function chargeOf(charge: LemonSqueezyCharge) {
  const {
    total,
    tax,
    discount = 0,
    refunded = 0,
    currency = "USD",
    isTaxInclusive = false,
    at = now - 60_000,
  } = charge;
  const isWhole = refunded === total;
  return {
    store_id: 1,
    customer_id: 1,
    user_name: "Darlene Daugherty",
    user_email: "gernser@yahoo.com",
    // Allows currencies that the package doesn't list.
    currency: currency as OrderAttributes["currency"],
    currency_rate: "1.0000",
    subtotal: total + discount - (isTaxInclusive ? 0 : tax),
    discount_total: discount,
    tax,
    tax_inclusive: isTaxInclusive,
    total,
    refunded_amount: refunded,
    total_formatted: charge.formatted ?? `$${(total / 100).toFixed(2)}`,
    status: charge.status ?? (isWhole ? "refunded" : "paid"),
    refunded: refunded > 0,
    refunded_at: refunded > 0 ? moment(now - 60_000) : null,
    created_at: moment(at),
    updated_at: refunded > 0 ? moment(now - 60_000 + refunded) : moment(at),
    test_mode: charge.isTest ?? false,
  } satisfies Some<OrderAttributes> & Some<InvoiceAttributes>;
}

const eventOf = (event_name: string, type: string, { id, customData }: LemonSqueezyCharge, attributes: object) => ({
  meta: { event_name, ...(customData && { custom_data: customData }) },
  data: { type, id, attributes, relationships: {}, links: { self: `https://api.lemonsqueezy.com/v1/${type}/${id}` } },
});

const order = (event: string) => (charge: LemonSqueezyCharge) =>
  eventOf(event, "orders", charge, {
    ...chargeOf(charge),
    identifier: "636f855c-1fb9-4c07-b75c-3a10afef010a",
    order_number: Number(charge.id),
  } satisfies Some<OrderAttributes>);

export const orderCreated = order("order_created");
export const orderRefunded = order("order_refunded");

export interface LemonSqueezyInvoice extends LemonSqueezyCharge {
  readonly subscription?: number;
  readonly reason?: Documented["billing_reason"];
}

const invoice = (event: string) => (charge: LemonSqueezyInvoice) =>
  eventOf(event, "subscription-invoices", charge, {
    ...chargeOf(charge),
    subscription_id: charge.subscription ?? 1,
    billing_reason: charge.reason ?? "renewal",
  } satisfies Some<InvoiceAttributes>);

export const invoicePaid = invoice("subscription_payment_success");
export const invoiceRefunded = invoice("subscription_payment_refunded");

export const signedByLemonSqueezy = (body: string, secret: string) => ({
  "x-signature": createHmac("sha256", secret).update(body).digest("hex"),
});

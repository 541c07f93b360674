import { createHmac } from "node:crypto";
import type { PolarEvent } from "../../sdk/src/polar.ts";

// Shapes as in the examples of https://polar.sh/docs/api-reference/webhooks/order.paid, …/order.refunded and
// …/refund.updated, whose amounts polarsource/polar-js describes (src/models/components/order.ts); the headers as in
// https://polar.sh/docs/integrate/webhooks/delivery

type Metadata = Readonly<Record<string, string | number>>;

export interface PolarOrder {
  readonly id: string;
  readonly metadata?: Metadata;
  readonly subscriptionMetadata?: Metadata;
  readonly customerMetadata?: Metadata;
  /** After discounts, without tax. */
  readonly net: number;
  readonly tax: number;
  readonly discount?: number;
  /** Below 0 if the customer's balance paid a part of it. */
  readonly balance?: number;
  readonly refunded?: number;
  readonly currency?: string;
  readonly subscription?: string;
  readonly reason?: "purchase" | "subscription_create" | "subscription_cycle" | "subscription_update";
  readonly isPaid?: boolean;
  readonly at?: number;
}

const now = Date.now();
const isoOf = (at: number) => new Date(at).toISOString();

function orderOf(order: PolarOrder) {
  const {
    id,
    net,
    tax,
    discount = 0,
    balance = 0,
    refunded = 0,
    currency = "usd",
    subscription,
    at = now - 60_000,
  } = order;
  const { metadata = {}, subscriptionMetadata = {}, customerMetadata = {}, isPaid = true, reason = "purchase" } = order;
  return {
    id,
    created_at: isoOf(at),
    modified_at: null,
    status: refunded === 0 ? (isPaid ? "paid" : "pending") : refunded < net ? "partially_refunded" : "refunded",
    paid: isPaid,
    subtotal_amount: net + discount,
    discount_amount: discount,
    net_amount: net,
    tax_amount: tax,
    total_amount: net + tax,
    applied_balance_amount: balance,
    due_amount: Math.max(net + tax + balance, 0),
    refunded_amount: refunded,
    // The last refund returns what is left of the tax.
    refunded_tax_amount: refunded === net + Math.min(balance, 0) ? tax : Math.round((refunded * tax) / net),
    currency,
    billing_reason: reason,
    customer_id: "992fae2a-2a17-4b7a-8d9e-e287cf90131b",
    product_id: "d8dd2de1-21b7-4a41-8bc3-ce909c0cfe23",
    subscription_id: subscription ?? null,
    checkout_id: "1dbfc517-0bbf-4301-9ba8-555ca42b9737",
    metadata,
    platform_fee_amount: 90,
    customer: { id: "992fae2a-2a17-4b7a-8d9e-e287cf90131b", external_id: null, metadata: customerMetadata },
    discount: discount > 0 ? { id: "9b1deb4d-3b7d-4bad-9bdd-2b0d7b3dcb6d", name: "Launch", code: "LAUNCH" } : null,
    subscription: subscription === undefined ? null : { id: subscription, metadata: subscriptionMetadata },
    items: [{ label: "Pro", amount: net + discount, tax_amount: tax, proration: false }],
  };
}

export const orderPaid = (order: PolarOrder): PolarEvent => ({
  type: "order.paid",
  timestamp: isoOf(now),
  data: orderOf(order),
});

export const orderRefunded = (order: PolarOrder, at = now - 30_000 + (order.refunded ?? 0)): PolarEvent => ({
  type: "order.refunded",
  timestamp: isoOf(at),
  data: orderOf(order),
});

export const refundUpdated = (order: string, status: "succeeded" | "pending" | "failed" | "canceled"): PolarEvent => ({
  type: "refund.updated",
  timestamp: isoOf(now),
  data: {
    id: "refund-1",
    status,
    reason: "customer_request",
    amount: 1_000,
    tax_amount: 190,
    order_id: order,
    metadata: {},
  },
});

export function signedByPolar(
  body: string,
  secrets: readonly (string | Buffer)[],
  atSeconds = Math.floor(Date.now() / 1_000),
) {
  const signed = `msg_1.${atSeconds}.${body}`;
  const signatures = secrets.map((secret) => `v1,${createHmac("sha256", secret).update(signed).digest("base64")}`);
  return { "webhook-id": "msg_1", "webhook-timestamp": String(atSeconds), "webhook-signature": signatures.join(" ") };
}

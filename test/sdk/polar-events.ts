import { createHmac } from "node:crypto";
import type { models, webhooks } from "@polar-sh/sdk/2027-01";

// Values are from the examples of https://polar.sh/docs/api-reference/webhooks/order.paid, …/order.refunded and
// …/refund.updated. The headers are from https://polar.sh/docs/integrate/webhooks/delivery

type Metadata = Readonly<Record<string, string | number>>;

export interface PolarOrder {
  readonly id: string;
  readonly metadata?: Metadata;
  readonly subscriptionMetadata?: Metadata;
  readonly customerMetadata?: Metadata;
  /** The amount after discounts, without tax. */
  readonly net: number;
  readonly tax: number;
  readonly discount?: number;
  /** Negative if the customer's balance paid a part of the amount. */
  readonly balance?: number;
  readonly refunded?: number;
  readonly currency?: string;
  readonly subscription?: string;
  readonly reason?: models.OrderBillingReason;
  readonly isPaid?: boolean;
  /** The time of the order, and the beginning of the subscription's period. */
  readonly at?: number;
  readonly trialEnd?: number;
}

const now = Date.now();
const isoOf = (at: number) => new Date(at).toISOString();

const customerId = "992fae2a-2a17-4b7a-8d9e-e287cf90131b";
const productId = "d8dd2de1-21b7-4a41-8bc3-ce909c0cfe23";
const organizationId = "1dbfc517-0bbf-4301-9ba8-555ca42b9737";

function orderOf(order: PolarOrder): models.Order {
  const { id, net, tax, discount = 0, balance = 0, refunded = 0, currency = "usd", at = now - 60_000 } = order;
  const { metadata = {}, customerMetadata = {}, isPaid = true, reason = "purchase", subscription } = order;
  const made = { created_at: isoOf(at), modified_at: null };
  // The last refund returns the remaining tax.
  const refundable = net + Math.min(balance, 0);
  const isWhole = refunded > 0 && refunded === refundable;
  const refundedTax = isWhole ? tax : Math.round((refunded * tax) / (net || 1));
  return {
    id,
    ...made,
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
    refunded_tax_amount: refundedTax,
    refundable_amount: refundable - refunded,
    refundable_tax_amount: tax - refundedTax,
    currency,
    billing_reason: reason,
    billing_name: null,
    billing_address: null,
    invoice_number: "SHOP-0001",
    is_invoice_generated: false,
    receipt_number: null,
    units: null,
    customer_id: customerId,
    product_id: productId,
    discount_id: discount > 0 ? launch.id : null,
    subscription_id: subscription ?? null,
    checkout_id: "0c7e3a4e-6a38-4a4c-9c2f-5a5b0a1d2e3f",
    metadata,
    platform_fee_amount: 90,
    platform_fee_currency: "usd",
    customer: {
      id: customerId,
      ...made,
      metadata: customerMetadata,
      external_id: null,
      email_verified: true,
      type: "individual",
      name: "A. Buyer",
      billing_name: null,
      billing_address: null,
      tax_id: null,
      organization_id: organizationId,
      deleted_at: null,
      first_user_event_at: null,
      avatar_url: null,
    },
    product: null,
    discount: discount > 0 ? { ...launch, ...made } : null,
    subscription: subscription === undefined ? null : subscriptionOf(order, subscription),
    items: [
      {
        id: "3f1c2b1a-7c1e-4d54-8e0e-0f6f0f6f0f6f",
        ...made,
        label: "Pro",
        amount: net + discount,
        tax_amount: tax,
        proration: false,
        product_price_id: null,
        start_timestamp: null,
        end_timestamp: null,
      },
    ],
    description: "Pro",
  };
}

const launch = {
  id: "9b1deb4d-3b7d-4bad-9bdd-2b0d7b3dcb6d",
  duration: "once",
  type: "fixed",
  amount: 1_000,
  currency: "usd",
  amounts: { usd: 1_000 },
  metadata: {},
  name: "Launch",
  code: "LAUNCH",
  starts_at: null,
  ends_at: null,
  max_redemptions: null,
  max_redemptions_per_customer: null,
  redemptions_count: 1,
  organization_id: organizationId,
} as const;

function subscriptionOf(order: PolarOrder, id: string): models.OrderSubscription {
  const { net, currency = "usd", at = now - 60_000, trialEnd, subscriptionMetadata = {} } = order;
  return {
    id,
    created_at: isoOf(at),
    modified_at: null,
    metadata: subscriptionMetadata,
    amount: net,
    currency,
    recurring_interval: "month",
    recurring_interval_count: 1,
    status: "active",
    current_period_start: isoOf(at),
    current_period_end: isoOf(at + 30 * 86_400_000),
    current_meter_period_start: null,
    current_meter_period_end: null,
    trial_start: trialEnd === undefined ? null : isoOf(trialEnd - 7 * 86_400_000),
    trial_end: trialEnd === undefined ? null : isoOf(trialEnd),
    cancel_at_period_end: false,
    canceled_at: null,
    started_at: isoOf(at),
    ends_at: null,
    ended_at: null,
    pause_at_period_end: false,
    paused_at: null,
    resumes_at: null,
    customer_id: customerId,
    product_id: productId,
    discount_id: null,
    checkout_id: null,
    units: null,
    customer_cancellation_reason: null,
    customer_cancellation_comment: null,
  };
}

const api_version = "2027-01";

export const orderPaid = (order: PolarOrder): webhooks.WebhookOrderPaidPayload => ({
  type: "order.paid",
  timestamp: isoOf(now),
  api_version,
  data: orderOf(order),
});

export const orderRefunded = (
  order: PolarOrder,
  at = now - 30_000 + (order.refunded ?? 0),
): webhooks.WebhookOrderRefundedPayload => ({
  type: "order.refunded",
  timestamp: isoOf(at),
  api_version,
  data: orderOf(order),
});

export const refundUpdated = (order: string, status: models.RefundStatus): webhooks.WebhookRefundUpdatedPayload => ({
  type: "refund.updated",
  timestamp: isoOf(now),
  api_version,
  data: {
    id: "refund-1",
    created_at: isoOf(now),
    modified_at: null,
    status,
    reason: "customer_request",
    amount: 1_000,
    tax_amount: 190,
    currency: "usd",
    organization_id: organizationId,
    order_id: order,
    subscription_id: null,
    customer_id: customerId,
    revoke_benefits: false,
    dispute: null,
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

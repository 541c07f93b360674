import { createHmac } from "node:crypto";
import type {
  AdjustmentAction,
  AdjustmentStatus,
  CurrencyCode,
  IAdjustmentNotificationResponse,
  IEventsResponse,
  ITransactionNotificationResponse,
  TransactionOrigin,
} from "@paddle/paddle-node-sdk";

// Shapes and values are from the examples of https://developer.paddle.com/webhooks/transactions/transaction-completed
// and https://developer.paddle.com/webhooks/adjustments/adjustment-created. The header is from
// https://developer.paddle.com/webhooks/about/signature-verification

export interface PaddlePayment {
  readonly id: string;
  readonly customData?: object | null;
  /** The charged amount, after discounts and with tax. */
  readonly total: number;
  readonly tax: number;
  readonly discount?: number;
  /** The amount paid from the customer's credit balance. */
  readonly credit?: number;
  readonly currency?: string;
  readonly subscription?: string | null;
  readonly origin?: TransactionOrigin;
  readonly at?: number;
}

const text = <Name extends string>(amounts: Readonly<Record<Name, number>>) =>
  Object.fromEntries(Object.entries(amounts).map(([name, amount]) => [name, String(amount)])) as Record<Name, string>;

const eventOf = <Data>(event_type: string, id: string, at: number, data: Data): IEventsResponse<Data> => ({
  event_id: `evt_${id}`,
  event_type,
  occurred_at: new Date(at).toISOString(),
  notification_id: `ntf_${id}`,
  data,
});

const now = Date.now();

export function completed(payment: PaddlePayment): IEventsResponse<ITransactionNotificationResponse> {
  const { id, total, tax, customData = null, discount = 0, credit = 0, currency = "EUR", at = now - 60_000 } = payment;
  const { subscription = null, origin = "web" } = payment;
  const when = new Date(at).toISOString();
  // Allows currencies that Paddle doesn't support yet.
  const currency_code = currency as CurrencyCode;
  const totals = text({ subtotal: total - tax + discount, tax, discount, total });
  return eventOf("transaction.completed", id, at, {
    id,
    status: "completed",
    customer_id: "ctm_01hv6y1jedq4p1n0yqn5ba3ky4",
    address_id: "add_01hv8gq3318ktkfengj2r75gfx",
    business_id: null,
    custom_data: customData,
    origin,
    collection_mode: "automatic",
    subscription_id: subscription,
    discount_id: discount > 0 ? "dsc_01hv6scyf7qdnzcdq01t2y8dx4" : null,
    currency_code,
    created_at: when,
    updated_at: when,
    billed_at: when,
    items: [],
    payments: [],
    details: {
      tax_rates_used: [{ tax_rate: "0.19", totals }],
      totals: {
        ...totals,
        ...text({ credit, credit_to_balance: 0, balance: 0, grand_total: total - credit, fee: 245, earnings: 4_410 }),
        ...text({ grand_total_tax: Math.round((tax * (total - credit)) / (total || 1)) }),
        currency_code,
      },
      line_items: [
        {
          id: "txnitm_01hv8wt98jahpbm1t1tzr06z6n",
          price_id: "pri_01gsz8x8sawmvhz1pv30nge1ke",
          quantity: 2,
          tax_rate: "0.19",
          totals,
          product: {
            id: "pro_01gsz4t5hdjse780zja8vvr7jg",
            name: "AeroEdit Pro",
            tax_category: "standard",
            status: "active",
            created_at: when,
          },
        },
      ],
    },
  });
}

export interface PaddleAdjustment {
  readonly id: string;
  readonly transaction: string;
  readonly total: number;
  readonly tax: number;
  readonly currency?: string;
  readonly action?: AdjustmentAction;
  readonly status?: AdjustmentStatus;
  readonly type?: "created" | "updated";
  readonly at?: number;
}

export function adjusted(adjustment: PaddleAdjustment): IEventsResponse<IAdjustmentNotificationResponse> {
  const { id, transaction, total, tax, action = "refund", status = "approved", type = "created" } = adjustment;
  const { at = now - 30_000, currency = "EUR" } = adjustment;
  const when = new Date(at).toISOString();
  const currency_code = currency as CurrencyCode;
  const totals = text({ subtotal: total - tax, tax, total, fee: 0, earnings: total - tax, retained_fee: 0 });
  return eventOf(`adjustment.${type}`, id, at, {
    id,
    action,
    type: "partial",
    transaction_id: transaction,
    subscription_id: null,
    customer_id: "ctm_01hv6y1jedq4p1n0yqn5ba3ky4",
    reason: "requested_by_customer",
    credit_applied_to_balance: false,
    currency_code,
    status,
    items: [],
    totals: { ...totals, currency_code },
    created_at: when,
    updated_at: when,
  });
}

export const signedByPaddle = (
  body: string,
  secrets: readonly string[],
  atSeconds = Math.floor(Date.now() / 1_000),
) => {
  const signatures = secrets.map((secret) => createHmac("sha256", secret).update(`${atSeconds}:${body}`).digest("hex"));
  return { "paddle-signature": [`ts=${atSeconds}`, ...signatures.map((each) => `h1=${each}`)].join(";") };
};

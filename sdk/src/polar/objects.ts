/** The fields that we read from Polar's webhooks. */

/** The body of a webhook, in the names of its JSON. Verify its signature before you trust it. */
export interface PolarEvent {
  readonly type: string;
  /** ISO 8601. */
  readonly timestamp?: string;
  readonly data: object;
}

interface WithMetadata {
  readonly metadata?: object | null;
}

/** The order's state when the event is sent. Times are in ISO 8601. */
interface Subscription extends WithMetadata {
  readonly current_period_start?: string;
  readonly trial_end?: string | null;
}

/** https://polar.sh/docs/api-reference/webhooks/order.paid. Amounts have Stripe's number of decimals. */
export interface Order extends WithMetadata {
  readonly id: string;
  readonly paid: boolean;
  readonly currency: string;
  /** The amount after discounts, without tax. */
  readonly net_amount: number;
  /** The total with tax. */
  readonly total_amount: number;
  /** Below 0 if the customer's balance paid a part of the order. */
  readonly applied_balance_amount?: number;
  /** The amount refunded so far, without tax. */
  readonly refunded_amount: number;
  /** The tax refunded so far, in addition to `refunded_amount`. */
  readonly refunded_tax_amount: number;
  readonly billing_reason: string;
  readonly created_at?: string;
  readonly product_id?: string | null;
  readonly subscription_id?: string | null;
  readonly discount?: { readonly id?: string; readonly code?: string | null } | null;
  readonly subscription?: Subscription | null;
  readonly customer?: WithMetadata | null;
}

/** https://polar.sh/docs/api-reference/webhooks/refund.updated */
export interface Refund {
  readonly id: string;
  readonly status: string;
  readonly order_id: string;
}

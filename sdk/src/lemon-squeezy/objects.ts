/** The fields that we read from Lemon Squeezy's webhooks. */

/** The body of a webhook. Verify its signature before you trust it. */
export interface LemonSqueezyEvent {
  readonly meta: { readonly event_name: string; readonly custom_data?: object | null };
  readonly data: { readonly id: string; readonly attributes: object };
}

/** The common fields of orders and invoices. Amounts are in cents of `currency`. */
export interface Charge {
  readonly currency: string;
  readonly status: string;
  readonly tax: number;
  /** The total after discounts, with tax. */
  readonly total: number;
  /** The formatted total, for example "$9.99". */
  readonly total_formatted?: string;
  readonly refunded?: boolean;
  /** The total refunded so far, with tax. */
  readonly refunded_amount?: number;
  readonly created_at?: string;
  readonly updated_at?: string;
  readonly test_mode?: boolean;
}

/** https://docs.lemonsqueezy.com/api/orders/the-order-object */
export type Order = Charge;

/** https://docs.lemonsqueezy.com/api/subscription-invoices/the-subscription-invoice-object */
export interface SubscriptionInvoice extends Charge {
  readonly subscription_id: number;
  /** `initial` for the invoice of the order that started the subscription. */
  readonly billing_reason: string;
}

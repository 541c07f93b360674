/** The fields that we read from the events of Paddle Billing. */

/** An event of a notification. Verify its signature before you trust it. */
export interface PaddleEvent {
  readonly event_id?: string;
  readonly event_type: string;
  /** ISO 8601. */
  readonly occurred_at?: string;
  readonly data: object;
}

/** An amount in the currency's smallest unit, as text. */
type AmountText = string;

/** https://developer.paddle.com/webhooks/transactions/transaction-completed */
export interface Transaction {
  readonly id: string;
  readonly status: string;
  /** `web` and `api`: created by a checkout. `subscription_…`: created by a subscription. */
  readonly origin: string;
  readonly subscription_id?: string | null;
  readonly discount_id?: string | null;
  readonly currency_code: string;
  readonly custom_data?: object | null;
  readonly details: {
    readonly totals: {
      readonly tax: AmountText;
      /** The total after discounts, with tax. */
      readonly total: AmountText;
      /** The part of `total` that remains after credits. */
      readonly grand_total: AmountText;
    };
    readonly line_items?: readonly LineItem[] | null;
  };
}

export interface LineItem {
  readonly quantity: number;
  readonly totals: { readonly tax: AmountText; readonly total: AmountText };
  readonly product?: { readonly id?: string } | null;
}

/** https://developer.paddle.com/webhooks/adjustments/adjustment-created */
export interface Adjustment {
  readonly id: string;
  readonly action: string;
  readonly status: string;
  readonly transaction_id: string;
  readonly reason?: string | null;
  readonly totals: { readonly tax: AmountText; readonly total: AmountText };
}

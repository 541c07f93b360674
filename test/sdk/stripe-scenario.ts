import type { StripeEventJson } from "../examples/stripe-events.ts";
import type { Payment, StripeApi } from "../examples/stripe-payment.ts";

export interface Setting {
  readonly api: StripeApi;
  readonly currency: string;
  /** The time of the first payment, in seconds since the epoch. */
  readonly at: number;
  readonly keys: Record<string, string>;
  readonly hasStripe: boolean;
}

/** A sale as the service should record it. Amounts are in the smallest unit of the currency. */
export interface Expected {
  readonly id: string;
  readonly amount: number;
  readonly refunded?: number;
  readonly isRenewal?: boolean;
  readonly currency?: string;
}

export interface Played {
  /** The payments that Stripe's API contains. */
  readonly payments: readonly Payment[];
  /** The events in the order in which they happened. */
  readonly events: readonly StripeEventJson[];
  readonly sales: readonly Expected[];
  readonly options?: {
    readonly include?: readonly ("tax" | "shipping")[];
    readonly invoices?: boolean;
    readonly refundEvents?: "refund.*" | "charge.refunded";
  };
}

export interface Scenario {
  /** The scenario has no lead. Only the click identifies the visitor. */
  readonly isGuest?: true;
  /** The scenario can't be reported without Stripe's API. Other tests verify that case. */
  readonly needsStripe?: true;
  play(setting: Setting): Played;
}

export const basis = ({ api, currency, at, keys: metadata }: Setting) => ({ api, currency, at, metadata });
export const none = (setting: Setting) => ({
  ...basis(setting),
  metadata: {} as Record<string, string>,
  clientReference: null,
});
/** Without Stripe's API, refunds are reported by the events of their charge. */
export const refundsOf = ({ hasStripe }: Setting) =>
  ({ refundEvents: hasStripe ? "refund.*" : "charge.refunded" }) as const;

export const withFields = (event: StripeEventJson, fields: object): StripeEventJson => ({
  ...event,
  data: { object: { ...event.data.object, ...fields } },
});

export function sale(payment: Payment, amount: number, refunded = 0): Expected {
  const { invoice, paymentIntent, isRenewal, currency } = payment;
  return { id: invoice ?? paymentIntent, amount, refunded, isRenewal, currency: currency.toUpperCase() };
}

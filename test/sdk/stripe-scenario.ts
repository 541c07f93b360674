import type { StripeEventJson } from "../examples/stripe-events.ts";
import type { Payment, StripeApi } from "../examples/stripe-payment.ts";

export interface Setting {
  readonly api: StripeApi;
  readonly currency: string;
  /** The time of the first payment (s). */
  readonly at: number;
  readonly keys: Record<string, string>;
  readonly hasStripe: boolean;
}

/** A sale as the service should record it. Amounts in the smallest unit. */
export interface Expected {
  readonly id: string;
  readonly amount: number;
  readonly refunded?: number;
  readonly isRenewal?: boolean;
  readonly currency?: string;
}

export interface Played {
  /** In Stripe's API. */
  readonly payments: readonly Payment[];
  /** In the order they happened. */
  readonly events: readonly StripeEventJson[];
  readonly sales: readonly Expected[];
  readonly options?: {
    readonly include?: readonly ("tax" | "shipping")[];
    readonly invoices?: boolean;
    readonly refundEvents?: "refund.*" | "charge.refunded";
  };
}

export interface Scenario {
  /** Played without a lead: the visitor is known only by the click. */
  readonly isGuest?: true;
  /** Can't be reported without Stripe's API, which other tests cover. */
  readonly needsStripe?: true;
  play(setting: Setting): Played;
}

export const basis = ({ api, currency, at, keys: metadata }: Setting) => ({ api, currency, at, metadata });
export const none = (setting: Setting) => ({
  ...basis(setting),
  metadata: {} as Record<string, string>,
  clientReference: null,
});
/** Without Stripe's API, refunds are reported by the charge. */
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

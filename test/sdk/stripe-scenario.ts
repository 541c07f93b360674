import type { StripeEventJson } from "../examples/stripe-events.ts";
import type { Payment, StripeApi } from "../examples/stripe-payment.ts";

/** Values in which a scenario is played. */
export interface Setting {
  readonly api: StripeApi;
  readonly currency: string;
  /** In seconds: when the first payment was made. */
  readonly at: number;
  readonly keys: Record<string, string>;
  readonly hasStripe: boolean;
}

/** A sale as the service should have it; amounts in the smallest unit. */
export interface Expected {
  readonly id: string;
  readonly amount: number;
  readonly refunded?: number;
  readonly isRenewal?: boolean;
  readonly currency?: string;
}

export interface Played {
  /** Made known to Stripe's API. */
  readonly payments: readonly Payment[];
  /** In the order in which they happened. */
  readonly events: readonly StripeEventJson[];
  readonly sales: readonly Expected[];
  readonly options?: {
    readonly include?: readonly ("tax" | "shipping")[];
    readonly invoices?: boolean;
    readonly refundEvents?: "refund.*" | "charge.refunded";
  };
}

export interface Scenario {
  /** Played without a lead: the visitor is known by the click alone. */
  readonly isGuest?: true;
  /** Without Stripe's API this can't be told, which is tested apart. */
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

import { randomUUID } from "node:crypto";

export const apiVersions = ["2024-06-20", "2025-03-31.basil", "2026-10-28.endive"] as const;
export type StripeApi = (typeof apiVersions)[number];
export const isOld = (api: StripeApi) => api === "2024-06-20";
export const stripeId = (kind: string) => `${kind}_1S${randomUUID().replaceAll("-", "").slice(0, 22)}`;
export const secondsNow = () => Math.floor(Date.now() / 1_000);

/** The fields that an object has in Stripe's newest API. */
export type NamesOf<Resource> = Partial<Record<keyof Resource, unknown>>;

/** Amounts are in Stripe's unit of the currency. */
export interface PaymentLine {
  readonly product: string | null;
  /** The amount before discounts. */
  readonly amount: number;
  /** The discount on the line, and the line's share of a discount on the payment. */
  readonly discount?: number;
  /** The amount paid by credit grants. */
  readonly credit?: number;
  readonly tax?: number;
  readonly isTaxIncluded?: boolean;
  readonly quantity?: number;
}

/** A payment with its ids at Stripe. */
export interface Payment {
  readonly api: StripeApi;
  /** Seconds since the epoch. */
  readonly at: number;
  readonly livemode: boolean;
  readonly currency: string;
  /** In Stripe's unit of the currency. */
  readonly amount: number;
  /** The amount paid from the customer's balance, in addition to `amount`. */
  readonly balance: number;
  /** The running total of refunds, as in Stripe's API. */
  readonly refundedTotal: number;
  /** The amount that was authorized but never captured. */
  readonly uncaptured: number;
  /** `tax` and `shipping` are parts of the sum of `amount` and `balance`. */
  readonly tax: number;
  readonly shipping: number;
  /** Undefined if the payment has one line. */
  readonly lines: readonly PaymentLine[] | undefined;
  /** The promotion code that lowered the amount. */
  readonly promotion: { readonly id: string; readonly code: string; readonly discount: string } | null;
  readonly session: string;
  readonly customer: string;
  readonly paymentIntent: string;
  readonly charge: string;
  /** Null for a one-off payment without an invoice. */
  readonly invoice: string | null;
  readonly subscription: string | null;
  readonly isRenewal: boolean;
  readonly captureMethod: "automatic" | "manual";
  /** Seconds since the epoch. */
  readonly trialEnd: number | null;
  /**
   * The session's metadata, as the shop sets it. By default the subscription has the same metadata, as with
   * `checkoutMetadata`.
   */
  readonly metadata: Record<string, string>;
  readonly subscriptionMetadata: Record<string, string>;
  readonly customerMetadata: Record<string, string>;
  readonly intentMetadata: Record<string, string>;
  /** Replaces the session's client_reference_id. */
  readonly clientReference: string | null | undefined;
}

type PaymentOptions = Pick<Payment, "api" | "metadata"> & Partial<Payment>;

export const paidOnce = (options: PaymentOptions): Payment => ({
  at: secondsNow(),
  livemode: true,
  currency: "eur",
  amount: 4_900,
  balance: 0,
  refundedTotal: 0,
  uncaptured: 0,
  tax: 0,
  shipping: 0,
  lines: undefined,
  promotion: null,
  session: stripeId("cs_live"),
  customer: stripeId("cus"),
  paymentIntent: stripeId("pi"),
  charge: stripeId("ch"),
  invoice: null,
  subscription: null,
  isRenewal: false,
  captureMethod: "automatic",
  trialEnd: null,
  subscriptionMetadata: options.metadata,
  customerMetadata: {},
  intentMetadata: {},
  clientReference: undefined,
  ...options,
});

export const subscribed = (options: PaymentOptions): Payment =>
  paidOnce({ invoice: stripeId("in"), subscription: stripeId("sub"), ...options });

/** Returns a renewal of the payment. By default, it has the time of the first payment. */
export const renewed = (first: Payment, over: Partial<Payment> = {}): Payment => ({
  ...first,
  session: "",
  paymentIntent: stripeId("pi"),
  charge: stripeId("ch"),
  invoice: stripeId("in"),
  isRenewal: true,
  ...over,
});

export const address = { city: null, country: "NL", line1: null, line2: null, postal_code: null, state: null };

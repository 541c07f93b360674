import { randomUUID } from "node:crypto";

export const apiVersions = ["2024-06-20", "2025-03-31.basil", "2026-10-28.endive"] as const;
export type StripeApi = (typeof apiVersions)[number];
export const isOld = (api: StripeApi) => api === "2024-06-20";
export const stripeId = (kind: string) => `${kind}_1S${randomUUID().replaceAll("-", "").slice(0, 22)}`;
export const secondsNow = () => Math.floor(Date.now() / 1_000);

/** Names that Stripe's newest API has. */
export type NamesOf<Resource> = Partial<Record<keyof Resource, unknown>>;

/** In Stripe's unit. */
export interface PaymentLine {
  readonly product: string | null;
  /** Before discounts. */
  readonly amount: number;
  /** The line's own and its share of the payment's. */
  readonly discount?: number;
  /** Paid by credit grants. */
  readonly credit?: number;
  readonly tax?: number;
  readonly isTaxIncluded?: boolean;
  readonly quantity?: number;
}

/** A payment, and its IDs at Stripe. */
export interface Payment {
  readonly api: StripeApi;
  /** Seconds. */
  readonly at: number;
  readonly livemode: boolean;
  readonly currency: string;
  /** In Stripe's unit. */
  readonly amount: number;
  /** Paid from the customer's balance, in addition to `amount`. */
  readonly balance: number;
  /** The running total, as in Stripe's API. */
  readonly refundedTotal: number;
  /** Authorized but never captured. */
  readonly uncaptured: number;
  /** Parts of `amount` and `balance` together. */
  readonly tax: number;
  readonly shipping: number;
  /** Undefined: one. */
  readonly lines: readonly PaymentLine[] | undefined;
  /** The code that lowered it. */
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
  /** Seconds. */
  readonly trialEnd: number | null;
  /** Of the session, as the shop sets it. By default the subscription has the same, as with `checkoutMetadata`. */
  readonly metadata: Record<string, string>;
  readonly subscriptionMetadata: Record<string, string>;
  readonly customerMetadata: Record<string, string>;
  readonly intentMetadata: Record<string, string>;
  /** Overrides the session's. */
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

/** The caller sets `at`; by default it is the first payment's. */
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

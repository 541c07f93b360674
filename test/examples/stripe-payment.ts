import { randomUUID } from "node:crypto";

export const apiVersions = ["2024-06-20", "2025-03-31.basil", "2026-10-28.endive"] as const;
export type StripeApi = (typeof apiVersions)[number];
export const isOld = (api: StripeApi) => api === "2024-06-20";
export const stripeId = (kind: string) => `${kind}_1S${randomUUID().replaceAll("-", "").slice(0, 22)}`;
export const secondsNow = () => Math.floor(Date.now() / 1_000);

/** What was paid, and the ids under which Stripe keeps it. */
export interface Payment {
  readonly api: StripeApi;
  /** In seconds. */
  readonly at: number;
  readonly livemode: boolean;
  readonly currency: string;
  /** Charged, in Stripe's unit. */
  readonly amount: number;
  /** Covered by the customer's balance, in addition. */
  readonly balance: number;
  /** As Stripe's API has it. */
  readonly refundedTotal: number;
  /** Authorized, and never captured. */
  readonly uncaptured: number;
  /** Parts of `amount` and `balance` together. */
  readonly tax: number;
  readonly shipping: number;
  readonly session: string;
  readonly customer: string;
  readonly paymentIntent: string;
  readonly charge: string;
  /** Null: paid once, without an invoice. */
  readonly invoice: string | null;
  readonly subscription: string | null;
  readonly isRenewal: boolean;
  readonly captureMethod: "automatic" | "manual";
  /** In seconds: when the subscription's trial ended. */
  readonly trialEnd: number | null;
  /** Keys that the shop set. By default those of the session are on its subscription too, as `checkoutMetadata` does. */
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

/** The same subscription, a month later: the time is the caller's. */
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

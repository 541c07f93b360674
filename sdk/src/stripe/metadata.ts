import { type CheckoutMetadata, type CustomerInput, checkoutMetadata as keysFor } from "../processors/keys.ts";

export interface CheckoutInput extends CustomerInput {
  /** The session's mode. Default: `payment`. */
  readonly mode?: "payment" | "subscription" | undefined;
  /** The session's capture method, in mode `payment`. */
  readonly captureMethod?: "automatic" | "manual" | undefined;
}

export interface CheckoutParams {
  metadata: CheckoutMetadata;
}
export interface SubscriptionCheckoutParams extends CheckoutParams {
  subscription_data: { metadata: CheckoutMetadata };
}
export interface ManualCheckoutParams extends CheckoutParams {
  payment_intent_data: { capture_method: "manual"; metadata: CheckoutMetadata };
}

/**
 * Metadata to spread into the parameters of a checkout session. In mode `subscription`, it is also set on the
 * subscription, so that renewals are attributed; with `captureMethod: "manual"`, also on the payment intent, which
 * succeeds later. A click id that Stripe would refuse is left out. Throws a `TypeError` for an invalid customer key or
 * program id.
 */
export function checkoutMetadata(input: CheckoutInput & { readonly mode: "subscription" }): SubscriptionCheckoutParams;
export function checkoutMetadata(
  input: CheckoutInput & { readonly mode?: "payment" | undefined; readonly captureMethod: "manual" },
): ManualCheckoutParams;
export function checkoutMetadata(
  input: CheckoutInput & { readonly mode?: "payment" | undefined; readonly captureMethod?: "automatic" | undefined },
): CheckoutParams;
export function checkoutMetadata(
  input: CheckoutInput,
): CheckoutParams & Partial<SubscriptionCheckoutParams & ManualCheckoutParams>;
export function checkoutMetadata({ mode, captureMethod, ...customer }: CheckoutInput) {
  const metadata = keysFor(customer);
  const copy = { metadata: { ...metadata } };
  if (mode === "subscription") return { metadata, subscription_data: copy };
  return {
    metadata,
    ...(captureMethod === "manual" && { payment_intent_data: { capture_method: "manual", ...copy } }),
  };
}

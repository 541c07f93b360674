/** The keys that link a payment to its customer and partner. `svc_click_id` is missing if there was no click. */
export type CheckoutMetadata = {
  // Stripe's own types accept any text under any name, but not undefined.
  [name: string]: string;
  svc_customer_key: string;
  program_id: string;
};

export interface CheckoutInput {
  /** The click id that the browser forwarded, if any. */
  readonly clickId?: string | null | undefined;
  /** Your own stable id for the customer, as in their lead. */
  readonly customerKey: string;
  readonly programId: number | string;
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
export function checkoutMetadata({ clickId, customerKey, programId, mode, captureMethod }: CheckoutInput) {
  if (!isPrintableId(customerKey)) {
    throw new TypeError("checkoutMetadata: customerKey must be 1 to 255 characters, without control characters");
  }
  if (!/^[1-9]\d*$/.test(String(programId))) {
    throw new TypeError("checkoutMetadata: programId must be a positive integer");
  }
  const metadata: CheckoutMetadata = {
    ...(typeof clickId === "string" && /^[\w.~-]{1,255}$/.test(clickId) && { svc_click_id: clickId }),
    svc_customer_key: customerKey,
    program_id: String(programId),
  };
  const copy = { metadata: { ...metadata } };
  if (mode === "subscription") return { metadata, subscription_data: copy };
  return {
    metadata,
    ...(captureMethod === "manual" && { payment_intent_data: { capture_method: "manual", ...copy } }),
  };
}

/** Accepted as a customer key or the id of a product. */
export const isPrintableId = (id: unknown): id is string =>
  typeof id === "string" && id.length <= 255 && /\S/.test(id) && !/[\p{Cc}\p{Cs}]/u.test(id);

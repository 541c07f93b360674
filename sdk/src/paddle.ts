export { handlePaddleEvent, type PaddleOptions } from "./paddle/handle.ts";
export type { PaddleEvent } from "./paddle/objects.ts";
export { offerDiscounts } from "./paddle/offer.ts";
export { verifyPaddleEvent } from "./paddle/verify.ts";
export type { ProcessorAnswer } from "./processors/answers.ts";
export { type CheckoutMetadata, type CustomerInput, checkoutMetadata } from "./processors/keys.ts";
export type { RawBody, Verified, Verifier, WebhookFault, WebhookHeaders, WebhookOptions } from "./signature.ts";

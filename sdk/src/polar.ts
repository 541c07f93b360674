export { handlePolarEvent, type PolarOptions } from "./polar/handle.ts";
export type { PolarEvent } from "./polar/objects.ts";
export { offerDiscounts } from "./polar/offer.ts";
export { verifyPolarEvent } from "./polar/verify.ts";
export type { ProcessorAnswer } from "./processors/answers.ts";
export { type CheckoutMetadata, type CustomerInput, checkoutMetadata } from "./processors/keys.ts";
export type { RawBody, Verified, Verifier, WebhookFault, WebhookHeaders, WebhookOptions } from "./signature.ts";

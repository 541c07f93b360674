export { handleLemonSqueezyEvent, type LemonSqueezyOptions } from "./lemon-squeezy/handle.ts";
export type { LemonSqueezyEvent } from "./lemon-squeezy/objects.ts";
export { offerDiscounts } from "./lemon-squeezy/offer.ts";
export { verifyLemonSqueezyEvent } from "./lemon-squeezy/verify.ts";
export type { ProcessorAnswer } from "./processors/answers.ts";
export { type CheckoutMetadata, type CustomerInput, checkoutMetadata } from "./processors/keys.ts";
export type { RawBody, Verified, Verifier, WebhookFault, WebhookHeaders, WebhookOptions } from "./signature.ts";

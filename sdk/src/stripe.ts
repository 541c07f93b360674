export type { CheckoutMetadata } from "./processors/keys.ts";
export type { Extra, Include } from "./stripe/amounts.ts";
export type { StripeOptions } from "./stripe/found.ts";
export { handleStripeEvent, type StripeAnswer } from "./stripe/handle.ts";
export type { StripeClient } from "./stripe/look-up.ts";
export { type CheckoutInput, checkoutMetadata } from "./stripe/metadata.ts";
export type { StripeCharge, StripeEvent } from "./stripe/objects.ts";
export { type RefundFromEvent, type RefundOptions, refundFromEvent } from "./stripe/refund.ts";
export { type NoSaleReason, type SaleFromEvent, type SaleOptions, saleFromEvent } from "./stripe/sale.ts";

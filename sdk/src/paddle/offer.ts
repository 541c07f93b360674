import type { CustomerOffer } from "../results.ts";

/**
 * Returns the part of a transaction or of `Paddle.Checkout.open` that applies the offer: `{ …, ...offerDiscounts(offer) }`.
 * Empty without an offer, or if it has no discount at Paddle.
 */
export function offerDiscounts(offer: CustomerOffer | null | undefined): { discountId?: string } {
  const discountId = offer?.couponIds.paddle;
  return discountId ? { discountId } : {};
}

import type { CustomerOffer } from "../results.ts";

/**
 * Returns the fields of a transaction or of `Paddle.Checkout.open` that apply the offer:
 * `{ …, ...offerDiscounts(offer) }`. Returns no fields without an offer, or if the offer has no discount at Paddle.
 */
export function offerDiscounts(offer: CustomerOffer | null | undefined): { discountId?: string } {
  const discountId = offer?.couponIds.paddle;
  return discountId ? { discountId } : {};
}

import type { CustomerOffer } from "../results.ts";

/**
 * Returns the part of a checkout's `checkoutData` that applies the offer: `{ …, ...offerDiscounts(offer) }`. Empty without
 * an offer, or if it has no discount at Lemon Squeezy.
 */
export function offerDiscounts(offer: CustomerOffer | null | undefined): { discountCode?: string } {
  const discountCode = offer?.couponIds.lemonSqueezy;
  return discountCode ? { discountCode } : {};
}

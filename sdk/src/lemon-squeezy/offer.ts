import type { CustomerOffer } from "../results.ts";

/**
 * Returns the fields of a checkout's `checkoutData` that apply the offer: `{ …, ...offerDiscounts(offer) }`. Returns no
 * fields without an offer, or if the offer has no discount at Lemon Squeezy.
 */
export function offerDiscounts(offer: CustomerOffer | null | undefined): { discountCode?: string } {
  const discountCode = offer?.couponIds.lemonSqueezy;
  return discountCode ? { discountCode } : {};
}

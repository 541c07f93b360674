import type { CustomerOffer } from "../results.ts";

/**
 * Returns the part of a checkout that applies the offer: `polar.checkouts.create({ …, ...offerDiscounts(offer) })`. Empty
 * without an offer, or if it has no discount at Polar.
 */
export function offerDiscounts(offer: CustomerOffer | null | undefined): { discountId?: string } {
  const discountId = offer?.couponIds.polar;
  return discountId ? { discountId } : {};
}

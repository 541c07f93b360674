import type { CustomerOffer } from "../results.ts";

/**
 * Returns the fields of a checkout that apply the offer: `polar.checkouts.create({ …, ...offerDiscounts(offer) })`.
 * Returns no fields without an offer, or if the offer has no discount at Polar.
 */
export function offerDiscounts(offer: CustomerOffer | null | undefined): { discountId?: string } {
  const discountId = offer?.couponIds.polar;
  return discountId ? { discountId } : {};
}

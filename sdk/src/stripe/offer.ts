import type { CustomerOffer } from "../results.ts";

/**
 * Returns the fields of a checkout session that apply the offer:
 * `stripe.checkout.sessions.create({ …, ...offerDiscounts(offer) })`. Returns no fields without an offer, or if the offer
 * has no coupon at Stripe. Stripe refuses sessions with both `discounts` and `allow_promotion_codes`.
 */
export function offerDiscounts(offer: CustomerOffer | null | undefined): { discounts?: { coupon: string }[] } {
  const coupon = offer?.couponIds.stripe;
  return coupon ? { discounts: [{ coupon }] } : {};
}

import type { CustomerOffer } from "../results.ts";

/**
 * Returns the part of a checkout session that applies the offer: `stripe.checkout.sessions.create({ …, ...offerDiscounts(offer)
 * })`. Empty without an offer, or if it has no coupon at Stripe. Stripe refuses sessions that have `discounts` and
 * `allow_promotion_codes`.
 */
export function offerDiscounts(offer: CustomerOffer | null | undefined): { discounts?: { coupon: string }[] } {
  const coupon = offer?.couponIds.stripe;
  return coupon ? { discounts: [{ coupon }] } : {};
}

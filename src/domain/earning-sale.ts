import type { EarningSale } from "./commission.ts";
import { couponsOf, hasCouponOf } from "./coupons.ts";
import type { PartnerId } from "./ids.ts";
import { type Itemized, itemsOf } from "./items.ts";
import type { SubscriptionInterval } from "./sale-type.ts";

/** The facts about the sale itself that a policy uses. */
export interface SoldSale extends Itemized {
  readonly currency: string;
  readonly occurredAt: number;
  readonly isRecurring: boolean;
  readonly subscriptionInterval: SubscriptionInterval | null;
  /** JSON of the coupons sent with it. */
  readonly coupons: string | null;
}

/** The facts about the customer, the partner and the program that a policy uses. */
export type Circumstances = Pick<
  EarningSale,
  "firstAttributedSaleAt" | "isOneTimeTaken" | "partnerActive" | "programActive"
> & { readonly partnerId: PartnerId };

/** All facts that decide a sale's commission under a policy. */
export const earningSale = (
  { subscriptionInterval: interval, coupons, ...sale }: SoldSale,
  { partnerId, firstAttributedSaleAt, isOneTimeTaken, partnerActive, programActive }: Circumstances,
): EarningSale => {
  const { amountCents, currency, occurredAt, isRecurring } = sale;
  return {
    amountCents,
    currency,
    occurredAt,
    isRecurring,
    interval,
    items: itemsOf(sale),
    hasCoupon: hasCouponOf(couponsOf(coupons), partnerId),
    firstAttributedSaleAt,
    isOneTimeTaken,
    partnerActive,
    programActive,
  };
};

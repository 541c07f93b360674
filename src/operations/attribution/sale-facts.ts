import { couponsOf, hasCouponOf } from "#domain/coupons.ts";
import type { PartnerId } from "#domain/ids.ts";
import { itemsOf } from "#domain/items.ts";
import type { SaleRow } from "#store/sales.ts";

type SoldItems = Pick<
  SaleRow,
  "amountCents" | "currency" | "occurredAt" | "productId" | "items" | "coupons" | "subscriptionInterval"
>;
export type SaleFacts = SoldItems & Pick<SaleRow, "transactionId" | "isRecurring">;

/** What the partner's policy judges of the sale itself. */
export const soldBy = (partnerId: PartnerId, { subscriptionInterval: interval, coupons, ...sale }: SoldItems) => {
  const { amountCents, currency, occurredAt } = sale;
  const hasCoupon = hasCouponOf(couponsOf(coupons), partnerId);
  return { amountCents, currency, occurredAt, interval, hasCoupon, items: itemsOf(sale) };
};

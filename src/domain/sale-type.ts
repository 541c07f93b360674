export const saleTypes = ["payment", "subscription"] as const;
export type SaleType = (typeof saleTypes)[number];

export const subscriptionIntervals = ["monthly", "quarterly", "annual"] as const;
export type SubscriptionInterval = (typeof subscriptionIntervals)[number];

/** Optional fields of a sale, stored as sent: here for a sale without any. */
export const noDetails = {
  saleType: "payment",
  isRecurring: false,
  subscriptionId: null,
  subscriptionInterval: null,
  productId: null,
  eventName: null,
  lineItems: null,
  items: null,
  coupons: null,
} as const;

/** A repeated sale that differs in one of these is not the same request. */
export const comparedDetails = [
  "saleType",
  "isRecurring",
  "subscriptionId",
  "productId",
] as const satisfies readonly (keyof typeof noDetails)[];

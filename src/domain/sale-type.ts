export const saleTypes = ["payment", "subscription"] as const;

export const subscriptionIntervals = ["monthly", "quarterly", "annual"] as const;
export type SubscriptionInterval = (typeof subscriptionIntervals)[number];

/** Optional fields of a sale, with the values that they have if the call doesn't send them. */
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

/** A repeated sale must have the same values in these fields. Otherwise it is refused as a conflict. */
export const comparedDetails = [
  "saleType",
  "isRecurring",
  "subscriptionId",
  "productId",
] as const satisfies readonly (keyof typeof noDetails)[];

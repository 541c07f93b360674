export const saleTypes = ["payment", "subscription"] as const;
export type SaleType = (typeof saleTypes)[number];

export const subscriptionIntervals = ["monthly", "quarterly", "annual"] as const;
export type SubscriptionInterval = (typeof subscriptionIntervals)[number];

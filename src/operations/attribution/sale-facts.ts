import { itemsOf } from "#domain/items.ts";
import type { SaleRow } from "#store/sales.ts";

type SoldItems = Pick<
  SaleRow,
  "amountCents" | "currency" | "occurredAt" | "productId" | "items" | "subscriptionInterval"
>;
export type SaleFacts = SoldItems & Pick<SaleRow, "transactionId" | "isRecurring">;

/** What a policy judges of the sale itself. */
export const soldItems = ({ subscriptionInterval: interval, ...sale }: SoldItems) => {
  const { amountCents, currency, occurredAt } = sale;
  return { amountCents, currency, occurredAt, interval, items: itemsOf(sale) };
};

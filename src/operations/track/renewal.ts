import type { FrozenRenewal } from "#domain/explain/frozen.ts";
import { earlierPayment } from "#store/sales.ts";
import { bookOf, type JudgedSale, type SaleCall } from "./sale.ts";

/** Nothing to read if the call says whether it is a renewal, or names no subscription. */
export function readEarlierPayment(call: SaleCall) {
  const { isRecurring, subscriptionId, occurredAt } = call;
  return isRecurring === "auto" && subscriptionId !== null
    ? earlierPayment({ ...bookOf(call), subscriptionId, occurredAt })
    : undefined;
}

const none: FrozenRenewal = { saleId: null, isImported: false };

export function judgeRenewal(
  { isRecurring }: SaleCall,
  renewal: FrozenRenewal = none,
): Pick<JudgedSale, "isRecurring" | "renewal"> {
  if (isRecurring !== "auto") return { isRecurring };
  return { isRecurring: renewal.saleId !== null || renewal.isImported, renewal };
}

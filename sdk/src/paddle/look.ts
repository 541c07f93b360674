import type { TributaryClient } from "../client.ts";
import type { Found } from "../processors/found.ts";
import { wholeAmount } from "../processors/handle.ts";
import { itemsOf } from "../processors/items.ts";
import { keysIn } from "../processors/keys.ts";
import { momentOf, type PaymentFrom, reported, secondsIn, shareOf } from "../processors/payment.ts";
import type { Adjustment, LineItem, PaddleEvent, Transaction } from "./objects.ts";

export function look({ event_type, occurred_at, data }: PaddleEvent, tributary: TributaryClient): Found {
  const at = secondsIn(occurred_at);
  if (event_type === "transaction.completed") {
    const transaction = data as Transaction;
    return reported(paymentOf(transaction, at), keysIn(transaction.custom_data), { tributary });
  }
  return isOfAdjustment(event_type)
    ? ofAdjustment(data as Adjustment, momentOf(at))
    : { skip: "only transaction.completed and adjustments report payments and refunds" };
}

const isOfAdjustment = (type: string): boolean => /^adjustment\.(created|updated)$/.test(type);

function paymentOf(transaction: Transaction, at: number | undefined): PaymentFrom {
  const { id, status, origin, subscription_id, discount_id, currency_code, details } = transaction;
  if (status !== "completed") return "unpaid";
  const total = wholeAmount(details.totals.total, "totals.total");
  const net = netOf(details.totals);
  const paid = wholeAmount(details.totals.grand_total, "totals.grand_total");
  // Only paid money earns, not the part that a credit covers.
  const amount = shareOf(net, Math.min(paid, total), total);
  if (!(amount > 0)) return "zero_amount";
  return {
    id,
    paid: { amount, currency: currency_code },
    subscriptionId: subscription_id || undefined,
    isRecurring: subscription_id && origin.startsWith("subscription_") ? "auto" : false,
    at,
    couponCodes: discount_id ? [discount_id] : [],
    items: itemsIn(details.line_items, net, amount),
  };
}

/** Returns no items if a line can't be read, because the sale is recorded anyway. */
function itemsIn(lines: readonly LineItem[] | null | undefined, net: number, amount: number) {
  try {
    const sold = (lines ?? []).map(({ product, quantity, totals }) => ({
      ...{ productId: product?.id, net: netOf(totals), quantity },
    }));
    return itemsOf(sold, net, amount);
  } catch {
    return undefined;
  }
}

/**
 * Returns the total without tax. Subtotals aren't used: in some of Paddle's objects they are before discounts, in
 * others after.
 */
const netOf = ({ tax, total }: { readonly tax: unknown; readonly total: unknown }): number =>
  wholeAmount(total, "totals.total") - wholeAmount(tax, "totals.tax");

/**
 * The amount of an adjustment never changes. It is reported as a total, so that a refund that exceeds the sale refunds
 * the whole sale.
 */
function ofAdjustment(adjustment: Adjustment, occurredAt: Date | null): Found {
  const { id, action, status, transaction_id, totals, reason } = adjustment;
  const isChargeback = /^chargeback(_reverse)?$/.test(action);
  if (!isChargeback && action !== "refund") return { skip: `an adjustment of the kind ${action} returns no money` };
  if (status === "pending_approval" || status === "rejected") return { skip: `the adjustment is ${status}` };
  // The reversal of a chargeback names only the transaction, not the chargeback.
  const refundId = isChargeback ? `chargeback_${transaction_id}` : id;
  const common = { invoiceId: transaction_id, refundId, occurredAt };
  if (status === "reversed" || action === "chargeback_reverse") {
    return { refund: { ...common, cancel: true, refundedTotal: 0 } };
  }
  const why = isChargeback ? "chargeback" : reason;
  return { refund: { ...common, refundedTotal: netOf(totals), ...(why && { reason: why }) } };
}

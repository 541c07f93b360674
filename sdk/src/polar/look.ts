import type { TributaryClient } from "../client.ts";
import type { Found } from "../processors/found.ts";
import { wholeAmount } from "../processors/handle.ts";
import { itemsOf } from "../processors/items.ts";
import { firstKeys, type Keys, keysIn } from "../processors/keys.ts";
import { momentOf, type PaymentFrom, reported, secondsIn, shareOf } from "../processors/payment.ts";
import { isoAmount } from "../processors/stripe-unit.ts";
import type { Order, PolarEvent, Refund } from "./objects.ts";

export function look({ type, timestamp, data }: PolarEvent, tributary: TributaryClient): Found {
  if (type === "order.paid") return reported(paymentOf(data as Order), keysOf(data as Order), { tributary });
  if (type === "order.refunded") return refundOf(data as Order, momentOf(secondsIn(timestamp)));
  return type === "refund.updated"
    ? ofFailedRefund(data as Refund)
    : { skip: "only order.paid and order.refunded report payments and refunds" };
}

/** Polar copies a checkout's metadata to its order and its subscription. */
export function keysOf({ metadata, subscription, customer }: Order): Keys {
  return firstKeys([metadata, subscription?.metadata, customer?.metadata].map(keysIn));
}

function paymentOf(order: Order): PaymentFrom {
  const { id, paid, currency, created_at, product_id, subscription_id, discount } = order;
  if (!paid) return "unpaid";
  const [net, total] = [wholeAmount(order.net_amount, "net_amount"), wholeAmount(order.total_amount, "total_amount")];
  // Only paid money earns, not the part that the customer's balance covers.
  const amount = isoAmount(shareOf(net, Math.min(total + balanceIn(order), total), total), currency);
  if (!(amount > 0)) return "zero_amount";
  return {
    id,
    paid: { amount, currency: currency.toUpperCase() },
    subscriptionId: subscription_id || undefined,
    isRecurring: isFirst(order) ? false : "auto",
    at: secondsIn(created_at),
    couponCodes: [discount?.code, discount?.id].flatMap((code) => (code ? [code] : [])),
    items: itemsOf([{ productId: product_id ?? undefined, net: amount, quantity: 1 }], amount, amount),
  };
}

/**
 * Polar calls the first payment after a trial a cycle, like a renewal, but the period of that payment begins where the
 * trial ends. Polar also calls the first payment after a free month a cycle.
 */
function isFirst({ billing_reason, subscription_id, subscription }: Order): boolean {
  const [trialEnd, periodStart] = [subscription?.trial_end, subscription?.current_period_start].map(secondsIn);
  if (billing_reason === "subscription_cycle") return trialEnd !== undefined && trialEnd === periodStart;
  return !subscription_id || billing_reason === "subscription_create";
}

const balanceIn = ({ applied_balance_amount: balance = 0 }: Order): number =>
  wholeAmount(balance, "applied_balance_amount");

/** Polar refunds an amount without tax, and the tax in addition. */
function refundOf(order: Order, occurredAt: Date | null): Found {
  const { id } = order;
  const balance = Math.min(balanceIn(order), 0);
  const net = wholeAmount(order.net_amount, "net_amount");
  const refunded = wholeAmount(order.refunded_amount, "refunded_amount");
  // Polar subtracts the customer's balance only from the amount without tax, but the sale was reported as the paid
  // share of that amount. So the refund then includes tax.
  const [refundedTotal, chargeTotal] =
    balance === 0
      ? [refunded, net]
      : [
          refunded + wholeAmount(order.refunded_tax_amount, "refunded_tax_amount"),
          wholeAmount(order.total_amount, "total_amount") + balance,
        ];
  if (!(refundedTotal > 0 && chargeTotal > 0)) return { skip: "nothing that earns is refunded" };
  return { refund: { invoiceId: id, refundId: id, refundedTotal, chargeTotal, occurredAt } };
}

/** The event doesn't say whether the order's total included the refund, nor what the new total is. */
function ofFailedRefund({ id, status, order_id }: Refund): Found {
  if (status !== "failed" && status !== "canceled") return { skip: "order.refunded reports it" };
  return {
    refused:
      `the refund ${id} ${status === "failed" ? "failed" : "was canceled"}. If order.refunded had reported it, report what is ` +
      `refunded now: trackRefund({ invoiceId: "${order_id}", refundId: "${order_id}", cancel: true, refundedTotal, chargeTotal })`,
  };
}

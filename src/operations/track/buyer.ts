import type { KnownCustomer } from "#store/customers.ts";
import { couponCodesOf } from "../attribution/coupon.ts";
import { clicksInBook, isOpenCoupon, isUnconfirmed } from "../attribution/customer.ts";
import { bookOf, type SaleCall } from "./sale.ts";

interface FoundBuyers {
  readonly customers: readonly KnownCustomer[];
  readonly subscriber: KnownCustomer | undefined;
}

export const validClicks = (call: SaleCall) => clicksInBook(call.clicks, bookOf(call));

/** The call's subscription, if the call has neither a customer key nor a click id. */
export const identifyingSubscription = ({ customerKey, clickId, subscriptionId }: SaleCall): string | null =>
  customerKey === null && clickId === null ? subscriptionId : null;

/** The subscription's customer, if the call identifies no customer or an unknown one. */
export function subscriberMeant(call: SaleCall, { customers, subscriber }: FoundBuyers): KnownCustomer | undefined {
  if (subscriber === undefined || call.corrects !== undefined || identifyingSubscription(call) !== null)
    return subscriber;
  if (call.customerKey === null || customers.some(({ customerKey }) => customerKey === call.customerKey))
    return undefined;
  return subscriber;
}

/**
 * True if sales like this one can be decided concurrently, because each changes only the instant of its customer's
 * first sale. This requires that the customer has a sale and no pending move (unfinished reattribution). The customer
 * must also be one of these:
 *
 * - unattributed, and the sale has no click and, if it is the customer's earliest, no coupon
 * - attributed, with an earlier attributed sale, and with their `one_time` commission (the only one that a policy with
 *   scope `one_time` pays for a customer) already used. The attribution must be final, or the sale have no click
 */
export function isIndependent(call: SaleCall, found: FoundBuyers): boolean {
  const { customers } = found;
  const subscriber = subscriberMeant(call, found);
  const clicks = validClicks(call);
  const isShared = clicks.length > 0 && customers.some(({ customerKey }) => customerKey === null);
  const customer = subscriber ?? customers.find(({ customerKey }) => customerKey === call.customerKey);
  if (customer === undefined || customer.customerKey === null || isShared || customer.movedUpTo !== null) return false;
  const { firstSaleAt, firstAttributedSaleAt, oneTimeCommissionId } = customer;
  if (firstSaleAt === null) return false;
  if (customer.partnerId === null) {
    const isBinding = couponCodesOf(call).length > 0 && firstSaleAt > call.occurredAt;
    return clicks.length === 0 && !isBinding;
  }
  const isFinal = !(isUnconfirmed(customer) || isOpenCoupon(customer)) || clicks.length === 0;
  const isLater = [firstSaleAt, firstAttributedSaleAt].every((at) => at !== null && at <= call.occurredAt);
  return isFinal && isLater && oneTimeCommissionId !== null;
}

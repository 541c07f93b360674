import type { CouponOfCode, FormerPartners } from "#store/coupons.ts";
import { type Credit, isCredit, type NoCredit } from "../attribution/commission-for-sale.ts";
import { type Fallback, fallBackOn, type MoreOfCoupon } from "../attribution/coupon.ts";
import { creditOf } from "../attribution/customer.ts";
import type { ResolvedCustomer } from "../attribution/resolve-customer.ts";
import type { Deciding, Decision } from "../operation.ts";

interface Crediting {
  readonly coupon: CouponOfCode | undefined;
  /** The credit that a corrected sale keeps. */
  readonly kept: Credit | undefined;
  readonly resolved: ResolvedCustomer;
  readonly occurredAt: number;
  /** For a corrected sale: the instant (ms) of the customer's first sale among those reported before it. */
  readonly firstSaleAt: number | null | undefined;
  readonly isCorrection: boolean;
}

/** Credits the partner to whom the customer is attributed, or otherwise the partner of the sale's coupon. */
export function creditSale(
  { coupon, kept, resolved, occurredAt, firstSaleAt = resolved.customer.firstSaleAt, isCorrection }: Crediting,
  formerPartners: FormerPartners | undefined,
  deciding: Deciding,
): Fallback | Decision<never, MoreOfCoupon> {
  const credit = kept ?? creditAtSale(resolved, occurredAt);
  return coupon === undefined || isCredit(credit)
    ? { resolved, credit }
    : fallBackOn(coupon, { resolved, credit, occurredAt, firstSaleAt, isCorrection }, formerPartners, deciding);
}

/**
 * A customer who has bought after this click stays with the click's partner, even if a correction removed the sale that
 * was within the attribution window. The click can't have credited a sale from before it. For such a sale, the click is
 * therefore judged at the customer's first sale.
 */
function creditAtSale(resolved: ResolvedCustomer, occurredAt: number): Credit | NoCredit {
  const { known, customer, partner, isReattributed, noCredit } = resolved;
  const { firstSaleAt, firstAttributedSaleAt, clickId, clickAt } = customer;
  if (partner === undefined) return noCredit;
  const isByThisClick = !isReattributed && known?.clickId === clickId;
  const isLater = isByThisClick && firstAttributedSaleAt !== null && clickAt !== null && occurredAt >= clickAt;
  const judgedAt = isLater ? firstAttributedSaleAt : Math.min(firstSaleAt ?? occurredAt, occurredAt);
  return creditOf(customer, partner, { firstSaleAt: judgedAt, occurredAt, isLocked: isLater }) ?? noCredit;
}

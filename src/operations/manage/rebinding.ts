import { countingCoupon, couponsOf } from "#domain/coupons.ts";
import { groundCouponSales } from "#store/commissions.ts";
import type { BindingSale } from "#store/coupons.ts";
import { type CustomerRow, type firstSalesWithout, type KnownCustomer, updateCustomer } from "#store/customers.ts";
import type { RecordedSale } from "#store/sales.ts";
import type { Write } from "#store/statement.ts";
import { attributedDirectly, riskOfKnown } from "../attribution/customer.ts";
import type { FoundSales } from "../attribution/earlier-sales.ts";
import { type FollowResult, historyColumns } from "../attribution/follow-customer.ts";
import type { FoundPolicies } from "../attribution/policies.ts";
import type { ResolvedCustomer } from "../attribution/resolve-customer.ts";
import { resolveEarlierSales } from "../attribution/resolve-earlier-sales.ts";
import { type Deciding, type Decision, retryWith } from "../operation.ts";
import { type CorrectSaleCall, isSameCustomer, saleAgain } from "./correction.ts";

type FirstSales = NonNullable<ReturnType<ReturnType<typeof firstSalesWithout>["decode"]>>;

/** The sale by whose coupon its customer is bound, as far as nothing is final, happens at another instant, or to somebody else. */
export function leavesItsCustomer(
  call: CorrectSaleCall,
  known: FirstSales | undefined,
  { occurredAt, coupons }: RecordedSale["sale"],
): known is FirstSales {
  if (known?.source !== "coupon" || known.confirmedAt !== null || known.since !== occurredAt) return false;
  if (countingCoupon(couponsOf(coupons))?.partnerId !== known.partnerId) return false;
  return !isSameCustomer(call) || saleAgain(call).occurredAt !== occurredAt;
}

const unbound = {
  ...{ partnerId: null, source: null, linkId: null, since: null, boundAt: null, reason: "no_click" },
  ...{ firstAttributedSaleAt: null, oneTimeCommissionId: null },
  ...{ partnerCode: null, isPartnerActive: false, isPartnerExempt: false },
} as const;

/** Bound by the earliest of their other sales that may bind them, or to nobody. */
export function reboundCustomer(
  customer: KnownCustomer,
  { others }: FirstSales,
  binding: BindingSale | undefined,
  at: number,
): KnownCustomer {
  const free = { ...customer, ...unbound, firstSaleAt: others.firstSaleAt };
  if (binding === undefined) return free;
  const { occurredAt: since, linkId, partnerId, partnerCode, isPartnerActive, isPartnerExempt } = binding;
  const attribution = { source: "coupon", link: { id: linkId, partnerId }, since, at } as const;
  return { ...attributedDirectly(free, attribution), partnerCode, isPartnerActive, isPartnerExempt };
}

/** For a customer whom the corrected sale has left: their other sales follow. */
export function followRebound(
  customer: KnownCustomer,
  found: FoundSales & FoundPolicies,
  deciding: Deciding,
): Pick<FollowResult, "writes" | "holdUntil"> | Decision<never> {
  const { partnerCode, isPartnerActive } = customer;
  const resolved: ResolvedCustomer = {
    ...{ kind: "resolved", known: customer, customer, noCredit: { reason: "no_click" }, judged: [] },
    ...{ isReattributed: false, isConfirmed: false, isRebound: true },
    partner:
      partnerCode === null ? undefined : { code: partnerCode, isActive: isPartnerActive, risk: riskOfKnown(customer) },
  };
  const followed = resolveEarlierSales(resolved, found, deciding);
  if (followed === undefined) return { writes: [updateCustomer(customer)], holdUntil: undefined };
  if ("kind" in followed) return ofEach(followed);
  const after = { ...customer, ...historyColumns(followed.history) };
  const writes = [updateCustomer(after), ...followed.writes, ...groundWrites(after)];
  return { writes, holdUntil: followed.holdUntil };
}

/** The sale as it is now may read those of another customer. */
const ofEach = (decision: Decision<never>): Decision<never> => {
  if (decision.kind !== "retry" || decision.missing.salesOf === undefined) return decision;
  const { salesOf, ...missing } = decision.missing;
  return retryWith({ ...missing, salesOfEach: [salesOf] });
};

/** Commissions that stay with their partner rest on the sale that binds the customer now. */
export const groundWrites = ({ id, source, partnerId, since }: CustomerRow): readonly Write[] =>
  source === "coupon" && since !== null ? [groundCouponSales({ customerId: id, partnerId, since })] : [];

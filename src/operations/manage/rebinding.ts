import { saleWithinWindow } from "#domain/attribution.ts";
import { countingCoupon, couponsOf } from "#domain/coupons.ts";
import { readFrozenLead } from "#domain/explain/frozen.ts";
import type { BindingSale } from "#store/coupons.ts";
import { type firstSalesWithout, type KnownCustomer, updateCustomer } from "#store/customers.ts";
import type { ClickOfLead } from "#store/leads.ts";
import type { RecordedSale } from "#store/sales.ts";
import { attributedDirectly, bindingOf, noAttribution, riskOfKnown } from "../attribution/customer.ts";
import type { FoundSales, MoreSales, MoreSalesOfEach } from "../attribution/earlier-sales.ts";
import type { FollowResult } from "../attribution/follow-customer.ts";
import type { FoundPolicies, MorePolicies } from "../attribution/policies.ts";
import type { ResolvedCustomer } from "../attribution/resolve-customer.ts";
import { resolveEarlierSales } from "../attribution/resolve-earlier-sales.ts";
import { historyColumns } from "../attribution/sales-history.ts";
import { type Deciding, type Decision, retryWith } from "../operation.ts";
import { type CorrectSaleCall, isSameCustomer, saleAgain } from "./correction.ts";

type FirstSales = NonNullable<ReturnType<ReturnType<typeof firstSalesWithout>["decode"]>>;

/**
 * True if a correction removes the sale whose coupon attributes the customer, by moving it to another instant or
 * customer. A final attribution stays, unless the customer has no other attributed sale and loses this one.
 */
export function leavesItsCustomer(
  call: CorrectSaleCall,
  known: FirstSales | undefined,
  { occurredAt, coupons }: RecordedSale["sale"],
): known is FirstSales {
  if (known?.source !== "coupon" || known.since !== occurredAt) return false;
  if (countingCoupon(couponsOf(coupons))?.partnerId !== known.partnerId) return false;
  if (known.confirmedAt !== null && (isSameCustomer(call) || known.others.firstAttributedSaleAt !== null)) return false;
  return !isSameCustomer(call) || saleAgain(call).occurredAt !== occurredAt;
}

export const unbound = {
  ...noAttribution,
  partnerCode: null,
  isPartnerActive: false,
  isPartnerExempt: false,
  partnerExternalId: null,
} as const;

interface Bindings {
  readonly binding: BindingSale | undefined;
  readonly lead: ClickOfLead | undefined;
  /**
   * True if the corrected sale's commission was the customer's `one_time` commission (the only one that a policy with
   * scope `one_time` pays for a customer), which is now free.
   */
  readonly isPlaceFree: boolean;
  readonly at: number;
}

/**
 * Attributes the customer again without the corrected sale: by the click that the coupon had overridden, if it is valid
 * now, otherwise by the earliest other sale with an eligible coupon. Without either, the customer is unattributed.
 */
export function reboundCustomer(customer: KnownCustomer, { others }: FirstSales, by: Bindings): KnownCustomer {
  const { binding, lead, isPlaceFree, at } = by;
  const free = { ...customer, ...unbound, firstSaleAt: others.firstSaleAt };
  const ofLead = lead && boundByLead(free, lead);
  const isLeads = ofLead !== undefined && (binding === undefined || countsFirst(ofLead));
  const bound = isLeads ? ofLead : binding === undefined ? free : boundByCoupon(free, binding, at);
  const keepsPlace = bound.partnerId !== null && bound.partnerId === customer.partnerId && !isPlaceFree;
  return { ...bound, oneTimeCommissionId: keepsPlace ? customer.oneTimeCommissionId : null };
}

function boundByCoupon(
  free: KnownCustomer,
  { occurredAt: since, linkId, partnerId, ...partner }: BindingSale,
  at: number,
): KnownCustomer {
  const attribution = { source: "coupon", link: { id: linkId, partnerId }, since, at } as const;
  return { ...attributedDirectly(free, attribution), ...partner };
}

/** Applies the attribution that the lead had decided. The lead may report an instant before its click. */
function boundByLead(free: KnownCustomer, { occurredAt, explanation, ...lead }: ClickOfLead): KnownCustomer {
  const { model, windowDays, windowUntil, decidedAt } = readFrozenLead(explanation);
  return {
    ...free,
    ...lead,
    source: "click",
    since: null,
    reason: null,
    model,
    windowDays,
    windowUntil,
    boundBy: "lead",
    boundAt: Math.max(occurredAt, lead.clickAt),
    confirmedAt: lead.evidence === "key" ? decidedAt : null,
  };
}

function countsFirst(customer: KnownCustomer): boolean {
  const binding = bindingOf(customer);
  return binding !== undefined && customer.firstSaleAt !== null && saleWithinWindow(binding, customer.firstSaleAt).ok;
}

/** Reattributes the other sales of the customer whom the corrected sale is taken from. */
export function followRebound(
  customer: KnownCustomer,
  found: FoundSales & FoundPolicies,
  deciding: Deciding,
): Pick<FollowResult, "writes" | "holdUntil"> | Decision<never, MoreSalesOfEach & MorePolicies> {
  const { partnerCode, isPartnerActive } = customer;
  const resolved: ResolvedCustomer = {
    kind: "resolved",
    known: customer,
    customer,
    noCredit: { reason: "no_click" },
    judged: [],
    isReattributed: false,
    isConfirmed: false,
    isRebound: true,
    partner:
      partnerCode === null ? undefined : { code: partnerCode, isActive: isPartnerActive, risk: riskOfKnown(customer) },
  };
  const followed = resolveEarlierSales(resolved, found, deciding);
  if (followed === undefined) return { writes: [updateCustomer(customer)], holdUntil: undefined };
  if ("kind" in followed) return ofEach(followed);
  const after = { ...customer, ...historyColumns(followed.history) };
  return { writes: [updateCustomer(after), ...followed.writes], holdUntil: followed.holdUntil };
}

/**
 * Requests the customer's sales as `salesOfEach`, because the corrected sale may request another customer's as
 * `salesOf`.
 */
const ofEach = (
  decision: Decision<never, MoreSales & MorePolicies>,
): Decision<never, MoreSalesOfEach & MorePolicies> => {
  if (decision.kind !== "retry" || decision.missing.salesOf === undefined) return decision;
  const { salesOf, ...missing } = decision.missing;
  return retryWith({ ...missing, salesOfEach: [salesOf] });
};

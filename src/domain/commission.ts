import { unattributedReasons } from "./attribution.ts";
import { dayMs } from "./calendar.ts";
import type { CommissionStatus } from "./commission-status.ts";
import { couponsOf, hasCouponOf } from "./coupons.ts";
import type { GroupId, PartnerId, PolicyId } from "./ids.ts";
import { type Itemized, itemsOf } from "./items.ts";
import { shareOf } from "./money.ts";
import type { PolicyScope, PolicyType } from "./policy-terms.ts";
import { type ItemGroup, isWithinMonths, itemGroups, type Rule, type RuledSale } from "./rules.ts";
import type { SubscriptionInterval } from "./sale-type.ts";

/** Reasons from the terms of a policy. */
export const policyReasons = [
  "commission_duration_over",
  "recurring_not_covered",
  "excluded_by_rule",
  "currency_mismatch",
  "below_minimum",
] as const;

export const voidReasons = [
  ...unattributedReasons,
  "no_commission_policy",
  "partner_inactive",
  "program_inactive",
  ...policyReasons,
] as const;
export type VoidReason = (typeof voidReasons)[number];

export interface Policy {
  readonly id: PolicyId;
  readonly version: number;
  /** Null for the program's policy and those of groups. */
  readonly partnerId: PartnerId | null;
  /** Null for the program's policy and those of partners. */
  readonly groupId: GroupId | null;
  readonly type: PolicyType;
  /** Hundredths of a percent; only of `percent`. */
  readonly rateBps: number | null;
  readonly amountCents: number | null;
  /** The currency of `amountCents`, `minSaleCents` and `maxCommissionCents`. */
  readonly currency: string | null;
  readonly scope: PolicyScope;
  readonly durationMonths: number | null;
  readonly holdDays: number;
  readonly minSaleCents: number | null;
  readonly maxCommissionCents: number | null;
  /** The first rule that covers an item decides it, instead of the policy's own rate or amount. */
  readonly rules: readonly Rule[] | null;
  readonly effectiveFrom: number;
}

/** Defaults of a policy's optional terms. */
export const noTerms = {
  groupId: null,
  rateBps: null,
  amountCents: null,
  currency: null,
  durationMonths: null,
  minSaleCents: null,
  maxCommissionCents: null,
  rules: null,
} as const satisfies Partial<Policy>;

export interface EarningSale extends RuledSale {
  readonly amountCents: number;
  readonly currency: string;
  readonly partnerActive: boolean;
  readonly programActive: boolean;
}

/** The facts about the sale itself that a policy uses. */
export interface SoldSale extends Itemized {
  readonly currency: string;
  readonly occurredAt: number;
  readonly isRecurring: boolean;
  readonly subscriptionInterval: SubscriptionInterval | null;
  /** JSON of the coupons sent with it. */
  readonly coupons: string | null;
}

/** The facts about the customer, the partner and the program that a policy uses. */
export type Circumstances = Pick<
  EarningSale,
  "firstAttributedSaleAt" | "isOneTimeTaken" | "partnerActive" | "programActive"
> & { readonly partnerId: PartnerId };

/** All facts that decide a sale's commission under a policy. */
export const earningSale = (
  { subscriptionInterval: interval, coupons, ...sale }: SoldSale,
  { partnerId, firstAttributedSaleAt, isOneTimeTaken, partnerActive, programActive }: Circumstances,
): EarningSale => {
  const { amountCents, currency, occurredAt, isRecurring } = sale;
  return {
    amountCents,
    currency,
    occurredAt,
    isRecurring,
    interval,
    items: itemsOf(sale),
    hasCoupon: hasCouponOf(couponsOf(coupons), partnerId),
    firstAttributedSaleAt,
    isOneTimeTaken,
    partnerActive,
    programActive,
  };
};

export type Earning =
  | {
      readonly due: true;
      readonly amountCents: number;
      readonly policy: Policy;
      readonly groups: readonly ItemGroup[];
      readonly uncappedCents: number;
      readonly capped: boolean;
      readonly holdUntil: number;
    }
  | { readonly due: false; readonly reason: VoidReason; readonly policy: Policy | undefined };

export function commissionFor(policy: Policy | undefined, sale: EarningSale): Earning {
  const nothing = (reason: VoidReason): Earning => ({ due: false, reason, policy });
  if (!sale.programActive) return nothing("program_inactive");
  if (!sale.partnerActive) return nothing("partner_inactive");
  if (policy === undefined || policy.type === "none") return nothing("no_commission_policy");
  const uncovered = whyNotCovered(policy, sale);
  if (uncovered !== undefined) return nothing(uncovered);
  const groups = itemGroups(policy, sale);
  if (isExcluded(groups)) return nothing("excluded_by_rule");
  if (needsCurrency(policy, groups) && policy.currency !== sale.currency) return nothing("currency_mismatch");
  if (policy.minSaleCents !== null && sale.amountCents < policy.minSaleCents) return nothing("below_minimum");

  const uncappedCents = groups.reduce((sum, { cents }) => sum + cents, 0);
  const amountCents = Math.min(uncappedCents, policy.maxCommissionCents ?? uncappedCents);
  return {
    due: true,
    amountCents,
    policy,
    groups,
    uncappedCents,
    capped: amountCents < uncappedCents,
    holdUntil: sale.occurredAt + policy.holdDays * dayMs,
  };
}

/** A free item earns commission only if its rule has an amount per piece. */
const isExcluded = (groups: readonly ItemGroup[]): boolean =>
  groups.some(({ excluded }) => excluded) &&
  groups.every(({ excluded, baseCents, quantity }) => excluded || (baseCents === 0 && quantity === undefined));

function whyNotCovered(
  { scope, durationMonths }: Policy,
  sale: EarningSale,
): "recurring_not_covered" | "commission_duration_over" | undefined {
  if (scope === "one_time") return sale.isRecurring || sale.isOneTimeTaken ? "recurring_not_covered" : undefined;
  if (scope === "lifetime") return undefined;
  return isWithinMonths(sale, durationMonths ?? 0) ? undefined : "commission_duration_over";
}

type Limits = Pick<Policy, "minSaleCents" | "maxCommissionCents">;

const hasLimit = ({ minSaleCents, maxCommissionCents }: Limits): boolean =>
  minSaleCents !== null || maxCommissionCents !== null;

/** The policy has amounts, so it needs a currency. */
export const namesMoney = (policy: Limits & Pick<Policy, "type" | "rules">): boolean =>
  policy.type === "flat" ||
  hasLimit(policy) ||
  (policy.rules ?? []).some(({ amountCents }) => amountCents !== undefined);

/** A sale whose items are all decided by rates may be in any currency. */
const needsCurrency = (policy: Limits, groups: readonly ItemGroup[]): boolean =>
  hasLimit(policy) || groups.some(({ amountCents }) => amountCents !== undefined);

/**
 * The share of a commission that is left after refunds, rounded half up. Always computed from the initial amount, so
 * that refunds which add up to the sale leave exactly 0 whatever was rounded before. 0 ≤ refunded ≤ sale, sale ≥ 1.
 */
export const commissionLeft = (initialCents: number, saleCents: number, refundedTotalCents: number): number =>
  shareOf(initialCents, saleCents - refundedTotalCents, saleCents);

interface Awaiting {
  readonly holdUntil: number;
  readonly unconfirmed: boolean;
  /** True if a member or a signal holds the commission. */
  readonly held: boolean;
}

export const initialStatus = (awaiting: Awaiting, at: number): "pending" | "approved" =>
  canAutoApprove({ ...awaiting, status: "pending" }, at) ? "approved" : "pending";

/**
 * A commission is approved automatically at the end of its hold only if its evidence is confirmed and it isn't under
 * review.
 */
export const canAutoApprove = (
  { status, holdUntil, unconfirmed, held }: Awaiting & { readonly status: CommissionStatus },
  at: number,
): boolean => status === "pending" && holdUntil <= at && !unconfirmed && !held;

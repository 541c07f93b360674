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
import type { AppliedStep, TierStep, Tiers } from "./tiers.ts";
import type { Unit } from "./units.ts";

/** Reasons for no commission that come from the terms of a policy. */
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
  /** Null if the policy belongs to the program or to a group. */
  readonly partnerId: PartnerId | null;
  /** Null if the policy belongs to the program or to a partner. */
  readonly groupId: GroupId | null;
  readonly type: PolicyType;
  /** Hundredths of a percent. Only for type `percent`. */
  readonly rateBps: number | null;
  readonly amountCents: number | null;
  /**
   * The currency of `minSaleCents` and `maxCommissionCents`. Without a unit, also of `amountCents` and of the amounts
   * that rules and tiers pay.
   */
  readonly currency: string | null;
  /** The unit of `amountCents` and of the amounts that rules and tiers pay. Only for type `flat`. */
  readonly unit: Unit | null;
  readonly scope: PolicyScope;
  readonly durationMonths: number | null;
  readonly holdDays: number;
  readonly minSaleCents: number | null;
  readonly maxCommissionCents: number | null;
  /**
   * The first rule that covers an item decides what the item earns. Items without a rule earn the policy's own rate or
   * amount.
   */
  readonly rules: readonly Rule[] | null;
  /** A reached step replaces the policy's own rate or amount, but not the rates and amounts of rules. */
  readonly tiers: Tiers | null;
  readonly effectiveFrom: number;
}

/** Values of a policy's optional terms if they aren't set. */
export const noTerms = {
  groupId: null,
  rateBps: null,
  amountCents: null,
  currency: null,
  unit: null,
  durationMonths: null,
  minSaleCents: null,
  maxCommissionCents: null,
  rules: null,
  tiers: null,
} as const satisfies Partial<Policy>;

export interface EarningSale extends RuledSale {
  readonly amountCents: number;
  readonly currency: string;
  readonly partnerActive: boolean;
  readonly programActive: boolean;
}

/** Facts about the sale that a policy uses. */
export interface SoldSale extends Itemized {
  readonly currency: string;
  readonly occurredAt: number;
  readonly isRecurring: boolean;
  readonly subscriptionInterval: SubscriptionInterval | null;
  /** JSON of the coupons sent with the sale. */
  readonly coupons: string | null;
}

/** Facts about the customer, the partner and the program that a policy uses. */
export type Circumstances = Pick<
  EarningSale,
  "firstAttributedSaleAt" | "isOneTimeTaken" | "partnerActive" | "programActive"
> & { readonly partnerId: PartnerId };

/** Combines all facts that decide a sale's commission. */
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
      readonly step: AppliedStep | undefined;
      readonly groups: readonly ItemGroup[];
      readonly uncappedCents: number;
      readonly capped: boolean;
      readonly holdUntil: number;
    }
  | { readonly due: false; readonly reason: VoidReason; readonly policy: Policy | undefined };

/** `step` is the step of the policy's tiers that the partner had reached. */
export function commissionFor(policy: Policy | undefined, sale: EarningSale, step?: AppliedStep): Earning {
  const nothing = (reason: VoidReason): Earning => ({ due: false, reason, policy });
  if (!sale.programActive) return nothing("program_inactive");
  if (!sale.partnerActive) return nothing("partner_inactive");
  if (policy === undefined || policy.type === "none") return nothing("no_commission_policy");
  const uncovered = whyNotCovered(policy, sale);
  if (uncovered !== undefined) return nothing(uncovered);
  const groups = itemGroups(withStep(policy, step), sale);
  if (isExcluded(groups)) return nothing("excluded_by_rule");
  if (needsCurrency(policy, groups) && policy.currency !== sale.currency) return nothing("currency_mismatch");
  if (policy.minSaleCents !== null && sale.amountCents < policy.minSaleCents) return nothing("below_minimum");

  const uncappedCents = groups.reduce((sum, { cents }) => sum + cents, 0);
  const amountCents = Math.min(uncappedCents, policy.maxCommissionCents ?? uncappedCents);
  return {
    due: true,
    amountCents,
    policy,
    step,
    groups,
    uncappedCents,
    capped: amountCents < uncappedCents,
    holdUntil: sale.occurredAt + policy.holdDays * dayMs,
  };
}

/** Replaces the policy's own rate or amount with the step's. */
const withStep = (policy: Policy, step: TierStep | undefined): Policy =>
  step === undefined
    ? policy
    : { ...policy, rateBps: step.rateBps ?? policy.rateBps, amountCents: step.amountCents ?? policy.amountCents };

/**
 * True if a rule excludes an item and no other item earns. A free item earns only if its rule has an amount per piece.
 */
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

/** True if the policy contains amounts of money and therefore needs a currency. */
export const namesMoney = (
  policy: Limits & Pick<Policy, "type" | "rules" | "tiers"> & { readonly unit: unknown },
): boolean =>
  policy.tiers?.metric === "revenue" ||
  hasLimit(policy) ||
  (policy.unit === null &&
    (policy.type === "flat" || (policy.rules ?? []).some(({ amountCents }) => amountCents !== undefined)));

/**
 * True if the sale must be in the policy's currency. Without a minimum and a maximum, the sale may be in any currency
 * if rates or a unit decide all items.
 */
const needsCurrency = (policy: Limits & Pick<Policy, "unit">, groups: readonly ItemGroup[]): boolean =>
  hasLimit(policy) || (policy.unit === null && groups.some(({ amountCents }) => amountCents !== undefined));

/** The currency or unit of a commission under this policy. */
export const currencyOf = (policy: Policy | undefined, sale: Pick<SoldSale, "currency">): string =>
  policy?.unit?.code ?? sale.currency;

/**
 * The commission that is left after refunds, rounded half up. It is always computed from the initial amount, so that a
 * fully refunded sale leaves exactly 0. Requires 0 ≤ refunded ≤ sale and sale ≥ 1.
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
 * True if the commission may be approved automatically: it is pending, its hold has ended, its evidence is confirmed,
 * and it isn't under review.
 */
export const canAutoApprove = (
  { status, holdUntil, unconfirmed, held }: Awaiting & { readonly status: CommissionStatus },
  at: number,
): boolean => status === "pending" && holdUntil <= at && !unconfirmed && !held;

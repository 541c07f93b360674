import type { UnattributedReason } from "./attribution.ts";
import { addMonthsUtc, dayMs } from "./calendar.ts";
import type { CommissionStatus } from "./commission-status.ts";
import { shareOf } from "./money.ts";
import type { PolicyScope, PolicyType } from "./policy-terms.ts";

/** Why nothing is due. */
export type VoidReason =
  | UnattributedReason
  | "no_commission_policy"
  | "partner_inactive"
  | "program_inactive"
  | "commission_duration_over"
  | "recurring_not_covered"
  | "currency_mismatch"
  | "below_minimum";

/** One version of a commission policy. Versions are never changed, only followed by others. */
export interface Policy {
  readonly id: number;
  readonly version: number;
  /** Null: the program's own, for every partner without one. */
  readonly partnerId: number | null;
  readonly type: PolicyType;
  /** Hundredths of a percent; of `percent`. */
  readonly rateBps: number | null;
  /** Of `flat`. */
  readonly amountCents: number | null;
  /** That of `amountCents`, `minSaleCents`, `maxCommissionCents`. */
  readonly currency: string | null;
  readonly scope: PolicyScope;
  /** Of `recurring`. */
  readonly durationMonths: number | null;
  readonly holdDays: number;
  readonly minSaleCents: number | null;
  readonly maxCommissionCents: number | null;
  /** Milliseconds. */
  readonly effectiveFrom: number;
}

const byVersion = (a: Policy, b: Policy): number => a.effectiveFrom - b.effectiveFrom || a.version - b.version;

const versionAt = (versions: readonly Policy[], at: number): Policy | undefined =>
  versions
    .filter(({ effectiveFrom }) => effectiveFrom <= at)
    .sort(byVersion)
    .at(-1);

/** 0 where none is set. */
export const newestVersion = (policies: readonly Policy[]): number =>
  Math.max(0, ...policies.map(({ version }) => version));

const unlessNone = (policy: Policy | undefined): Policy | undefined => (policy?.type === "none" ? undefined : policy);

/**
 * The policy that a sale at `at` (ms) is paid by: the version in force then of the partner's own policy, else of the
 * program's, which a partner's own replaces as a whole. A sale older than the program's first version takes the first.
 * Undefined where none is set, or the program's was ended.
 */
export function policyInForce(policies: readonly Policy[], partnerId: number, at: number): Policy | undefined {
  const own = policies.filter((policy) => policy.partnerId === partnerId);
  const ownThen = versionAt(own, at);
  if (ownThen !== undefined && ownThen.type !== "none") return ownThen;

  const program = policies.filter((policy) => policy.partnerId === null);
  const firstOf = (versions: readonly Policy[]): Policy | undefined => [...versions].sort(byVersion)[0];
  const programThen = versionAt(program, at) ?? firstOf(program);
  if (programThen !== undefined || ownThen !== undefined) return unlessNone(programThen);
  return unlessNone(firstOf(own));
}

/** Whether any sale at `at` (ms) can earn: the program's policy or some partner's own is in force. */
export function hasActivePolicy(policies: readonly Policy[], at: number): boolean {
  const owners = new Set(policies.map(({ partnerId }) => partnerId));
  return [...owners].some((owner) => {
    const versions = policies.filter(({ partnerId }) => partnerId === owner);
    return unlessNone(versionAt(versions, at)) !== undefined;
  });
}

/** What decides what an attributed sale earns. */
export interface EarningSale {
  /** Smallest unit of `currency`; ≥ 1. */
  readonly amountCents: number;
  readonly currency: string;
  /** Milliseconds. */
  readonly occurredAt: number;
  /** The instant of this customer's first attributed sale; undefined where this is it. */
  readonly firstAttributedSaleAt: number | undefined;
  /** A renewal, by its caller's word. */
  readonly isRecurring: boolean;
  /** Whether another sale of this customer is the one that `one_time` pays. */
  readonly isOneTimeTaken: boolean;
  readonly partnerActive: boolean;
  readonly programActive: boolean;
}

export type Earning =
  | {
      readonly due: true;
      /** Smallest unit of the sale's currency; 0 is earned too. */
      readonly amountCents: number;
      readonly policy: Policy;
      /** What it was before the policy's maximum. */
      readonly uncappedCents: number;
      readonly capped: boolean;
      /** Milliseconds, counted from the sale. */
      readonly holdUntil: number;
    }
  | { readonly due: false; readonly reason: VoidReason; readonly policy: Policy | undefined };

/** What an attributed sale earns by a policy, or the first reason why nothing. */
export function commissionFor(policy: Policy | undefined, sale: EarningSale): Earning {
  const nothing = (reason: VoidReason): Earning => ({ due: false, reason, policy });
  if (!sale.programActive) return nothing("program_inactive");
  if (!sale.partnerActive) return nothing("partner_inactive");
  if (policy === undefined || policy.type === "none") return nothing("no_commission_policy");
  const uncovered = whyNotCovered(policy, sale);
  if (uncovered !== undefined) return nothing(uncovered);
  if (namesMoney(policy) && policy.currency !== sale.currency) return nothing("currency_mismatch");
  if (policy.minSaleCents !== null && sale.amountCents < policy.minSaleCents) return nothing("below_minimum");

  const uncappedCents =
    policy.type === "flat" ? (policy.amountCents ?? 0) : shareOf(sale.amountCents, policy.rateBps ?? 0, 10_000);
  const amountCents = Math.min(uncappedCents, policy.maxCommissionCents ?? uncappedCents);
  return {
    due: true,
    amountCents,
    policy,
    uncappedCents,
    capped: amountCents < uncappedCents,
    holdUntil: sale.occurredAt + policy.holdDays * dayMs,
  };
}

function whyNotCovered(
  { scope, durationMonths }: Policy,
  { firstAttributedSaleAt: first, occurredAt, isRecurring, isOneTimeTaken }: EarningSale,
): "recurring_not_covered" | "commission_duration_over" | undefined {
  if (scope === "one_time") return isRecurring || isOneTimeTaken ? "recurring_not_covered" : undefined;
  if (first === undefined || scope === "lifetime") return undefined;
  return occurredAt <= addMonthsUtc(first, durationMonths ?? 0) ? undefined : "commission_duration_over";
}

const namesMoney = (policy: Policy): boolean =>
  policy.type === "flat" || policy.minSaleCents !== null || policy.maxCommissionCents !== null;

/**
 * What a commission of `initialCents` comes to once `refundedTotalCents` of a sale of `saleCents` are refunded: its
 * share of what is left, a half rounded upwards. Always taken from the frozen initial amount, so that refunds which
 * add up to the sale leave exactly 0 whatever the rounding on the way. 0 ≤ refunded ≤ sale, sale ≥ 1.
 */
export const commissionLeft = (initialCents: number, saleCents: number, refundedTotalCents: number): number =>
  shareOf(initialCents, saleCents - refundedTotalCents, saleCents);

/** The state in which a due commission begins. `unconfirmed` rests on browser evidence alone. */
export const initialStatus = (holdUntil: number, at: number, unconfirmed: boolean): "pending" | "approved" =>
  canAutoApprove({ status: "pending", holdUntil, unconfirmed }, at) ? "approved" : "pending";

/** Whether a commission is approved by time alone: pending, its hold over, its evidence confirmed. */
export const canAutoApprove = (
  commission: { readonly status: CommissionStatus; readonly holdUntil: number; readonly unconfirmed: boolean },
  at: number,
): boolean => commission.status === "pending" && commission.holdUntil <= at && !commission.unconfirmed;

import { canAutoApprove, commissionLeft } from "./commission.ts";
import type { Approver, CommissionStatus } from "./commission-status.ts";
import { type CountedRefunds, countedTotal, instantOf, isSaleTotal, isTotal, type RefundCall } from "./refund-count.ts";
import type { RefundStatus } from "./refund-status.ts";

export interface RefundableSale {
  readonly amountCents: number;
  readonly commission: {
    readonly status: CommissionStatus;
    readonly initialCents: number;
    readonly amountCents: number;
    readonly holdUntil: number | null;
    readonly unconfirmed: boolean;
    readonly held: boolean;
    readonly approvedBy: Approver | null;
    readonly isOneTimeUsed: boolean;
  };
}

export const skippedReasons = [
  "duplicate refund_id",
  "already refunded",
  "older",
  "canceled",
  "already reversed",
] as const;
export type SkippedReason = (typeof skippedReasons)[number];

export type RefundDecision =
  /** `first` is the index of the call that this one repeats. */
  | { readonly kind: "duplicate"; readonly first: number }
  | { readonly kind: "conflict"; readonly differences: readonly string[] }
  | { readonly kind: "exceeds"; readonly refundableCents: number }
  /** `isRecorded` is true if the call may have an effect later and is therefore stored. */
  | { readonly kind: "skipped"; readonly reason: SkippedReason; readonly isRecorded: boolean }
  | RefundEffect;

export interface RefundEffect {
  readonly kind: "refund";
  /** Negative if a refund was canceled. */
  readonly refundedCents: number;
  readonly refundedTotalCents: number;
  readonly commissionReversedCents: number;
  readonly commissionAmountCents: number;
  readonly initialCents: number;
  readonly status: Exclude<RefundStatus, "skipped">;
  readonly reason: "one_time_used" | undefined;
  readonly nextCommissionStatus: CommissionStatus;
}

/** Decides a refund call. `at` is in milliseconds. */
export function decideRefund(
  sale: RefundableSale,
  { before, after }: CountedBeforeAndAfter,
  call: RefundCall,
  at: number,
): RefundDecision {
  const { calls: earlier, chargeCents } = before;
  const known = call.refundId === undefined ? [] : earlier.filter(({ refundId }) => refundId === call.refundId);
  const refunded = { before: before.sums.refundedCents, after: after.sums.refundedCents };
  const others = { earlier, known, chargeCents };
  const uncounted = isCancel(call)
    ? whyCancelNotCounted(others, call)
    : (whyRefundNotCounted(others, call) ?? whyNothingToRefund(sale.amountCents, refunded, call));
  return uncounted ?? effectOf(sale, refunded, call, at);
}

/** The sale's refund calls before the current call, and with it. */
interface CountedBeforeAndAfter {
  readonly before: CountedRefunds;
  readonly after: CountedRefunds;
}

interface Refunded {
  readonly before: number;
  readonly after: number;
}

interface EarlierCalls {
  readonly earlier: readonly RefundCall[];
  readonly known: readonly RefundCall[];
  readonly chargeCents: number | undefined;
}

const skipped = (reason: SkippedReason, isRecorded = false): RefundDecision => ({
  kind: "skipped",
  reason,
  isRecorded,
});

function whyConflicting(others: EarlierCalls, call: RefundCall): RefundDecision | undefined {
  if (others.known.some(({ asked }) => asked === "cancel")) return skipped("canceled");
  const differences = differencesFrom(others, call);
  return differences.length > 0 ? { kind: "conflict", differences } : undefined;
}

function whyCancelNotCounted(calls: EarlierCalls, call: RefundCall): RefundDecision | undefined {
  const isRepeated = calls.known.some((other) => isSameCancel(other, call));
  return whyConflicting(calls, call) ?? (isRepeated ? skipped("canceled") : undefined);
}

function whyRefundNotCounted(calls: EarlierCalls, call: RefundCall): RefundDecision | undefined {
  const conflict = whyConflicting(calls, call);
  if (conflict !== undefined) return conflict;
  const { earlier, known } = calls;
  const [first] = known;
  if (first === undefined) return undefined;
  if (!isTotal(call)) return { kind: "duplicate", first: earlier.indexOf(first) };
  const cents = call.cents ?? 0;
  const highest = Math.max(...known.map((other) => other.cents ?? 0));
  const isCovered = cents <= countedTotal(known) || (call.occurredAt === undefined && cents <= highest);
  if (isCovered) return skipped("already refunded", isNewest(known, call));
  return isOlder(known, call) ? skipped("older") : undefined;
}

function whyNothingToRefund(
  saleCents: number,
  { before, after }: Refunded,
  call: RefundCall,
): RefundDecision | undefined {
  if (before >= saleCents) return skipped("already reversed", call.refundId !== undefined);
  if (call.asked === "amount" && call.chargeTotalCents === undefined) {
    const refundableCents = saleCents - before;
    return (call.cents ?? 0) > refundableCents ? { kind: "exceeds", refundableCents } : undefined;
  }
  return isSaleTotal(call) && after <= before ? skipped("already refunded") : undefined;
}

const isCancel = ({ asked }: RefundCall): boolean => asked === "cancel" || asked === "cancel_total";

const isSameCancel = (other: RefundCall, call: RefundCall): boolean =>
  other.asked === call.asked &&
  other.cents === call.cents &&
  (call.occurredAt === undefined || call.occurredAt === other.occurredAt);

/**
 * True if a running total is outdated: it is older than the newest call about its refund, or not newer than a
 * cancellation.
 */
const isOlder = (known: readonly RefundCall[], { occurredAt }: RefundCall): boolean =>
  occurredAt !== undefined &&
  known.some(
    (other) => occurredAt < instantOf(other) || (other.asked === "cancel_total" && occurredAt <= instantOf(other)),
  );

/**
 * True if the call is the newest total of its refund, or the higher of two at the same instant. Such a call changes
 * nothing now, but takes effect when a cancellation lowers the other totals.
 */
const isNewest = (known: readonly RefundCall[], call: RefundCall): boolean =>
  call.occurredAt !== undefined &&
  !isOlder(known, call) &&
  known.every((other) => call.occurredAt !== instantOf(other) || (other.cents ?? 0) < (call.cents ?? 0));

function differencesFrom({ known, chargeCents }: EarlierCalls, call: RefundCall): readonly string[] {
  const { chargeTotalCents: charge } = call;
  const isOtherCharge = charge !== undefined && chargeCents !== undefined && charge !== chargeCents;
  const first = known.find(({ asked }) => asked !== "cancel");
  const isOtherUnit =
    first !== undefined && call.asked !== "cancel" && (first.chargeTotalCents === undefined) !== (charge === undefined);
  const chargeField = isOtherCharge || isOtherUnit ? ["charge_total_cents"] : [];
  if (first === undefined || call.asked === "cancel") return chargeField;
  if (isTotal(first) && isTotal(call)) return chargeField;
  const isSame = first.asked === call.asked && first.cents === call.cents;
  return isSame ? chargeField : [fieldOf(isTotal(call) || call.asked === "amount" ? call : first), ...chargeField];
}

const fieldOf = (call: RefundCall): string => (isTotal(call) ? "refunded_total_cents" : "refund_amount_cents");

function effectOf(
  { amountCents: saleCents, commission }: RefundableSale,
  { before, after: refundedTotalCents }: Refunded,
  call: RefundCall,
  at: number,
): RefundEffect {
  const isWhole = refundedTotalCents === saleCents;
  // The commission is reversed although the sale isn't fully refunded. Another sale has used the only commission that a
  // policy with scope `one_time` pays for a customer, so this commission doesn't come back.
  const isUsed = commission.status === "reversed" && !isWhole && (commission.isOneTimeUsed || before < saleCents);
  const initialCents = isUsed ? 0 : commission.initialCents;
  const isOwed = commission.status !== "void" && commission.status !== "rejected";
  const commissionAmountCents = isOwed
    ? commissionLeft(initialCents, saleCents, refundedTotalCents)
    : commission.amountCents;
  return {
    kind: "refund",
    refundedCents: refundedTotalCents - before,
    refundedTotalCents,
    commissionReversedCents: commission.amountCents - commissionAmountCents,
    commissionAmountCents,
    initialCents,
    status: isCancel(call)
      ? "restored"
      : commission.status === "void"
        ? "no_commission"
        : isWhole
          ? "reversed"
          : "refunded",
    reason: isUsed && isCancel(call) ? "one_time_used" : undefined,
    nextCommissionStatus: isUsed ? "reversed" : statusAfter(commission, isWhole, at),
  };
}

function statusAfter(
  { status, holdUntil, unconfirmed, held, approvedBy }: RefundableSale["commission"],
  isWhole: boolean,
  at: number,
): CommissionStatus {
  if (status !== "pending" && status !== "approved" && status !== "reversed") return status;
  if (isWhole) return "reversed";
  if (status !== "reversed") return status;
  const isOver = holdUntil !== null && canAutoApprove({ status: "pending", holdUntil, unconfirmed, held }, at);
  return approvedBy !== null || isOver ? "approved" : "pending";
}

export interface ReplayedRefund {
  readonly reversedCents: number;
  readonly leftCents: number;
  readonly isWhole: boolean;
}

/**
 * Computes how refunds reduce a commission that is earned only after the refunds were recorded. `parts` are those of
 * `CountedRefunds`.
 */
export function replayRefunds(
  initialCents: number,
  saleCents: number,
  parts: readonly number[],
): readonly ReplayedRefund[] {
  let refunded = 0;
  let before = initialCents;
  return parts.map((part) => {
    refunded += part;
    const leftCents = commissionLeft(initialCents, saleCents, refunded);
    const reversedCents = before - leftCents;
    before = leftCents;
    return { reversedCents, leftCents, isWhole: refunded === saleCents };
  });
}

import { canAutoApprove, commissionLeft } from "./commission.ts";
import type { Approver, CommissionStatus } from "./commission-status.ts";
import { shareOf } from "./money.ts";
import type { RefundRequest, RefundStatus } from "./refund-status.ts";

/** An accepted refund call, as sent. Calls with the same `refundId` are about one refund. */
export interface RefundCall {
  readonly refundId: string | undefined;
  readonly asked: RefundRequest;
  /** Of `amount`, `total` and `cancel_total`. In the charge's unit if the call has `chargeTotalCents`, else the sale's. */
  readonly cents: number | undefined;
  /** The amount paid for the whole sale, in the unit of the refunds. */
  readonly chargeTotalCents: number | undefined;
  /** Undefined if the call sent no instant. */
  readonly occurredAt: number | undefined;
  readonly receivedAt: number;
}

export interface RefundableSale {
  readonly amountCents: number;
  readonly commission: {
    readonly status: CommissionStatus;
    /** A live line of a payout holds it, so its status stays, like that of a paid one. */
    readonly isReserved?: boolean;
    readonly initialCents: number;
    readonly amountCents: number;
    readonly holdUntil: number | null;
    readonly unconfirmed: boolean;
    readonly approvedBy: Approver | null;
    readonly isOneTimeUsed: boolean;
  };
}

export type SkippedReason = "duplicate refund_id" | "already refunded" | "older" | "canceled" | "already reversed";

export type RefundDecision =
  /** `first`: the index of the repeated call. */
  | { readonly kind: "duplicate"; readonly first: number }
  | { readonly kind: "conflict"; readonly differences: readonly string[] }
  | { readonly kind: "exceeds"; readonly refundableCents: number }
  /** `isRecorded`: the call may count later, so it is stored. */
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

/** `earlier` are the sale's calls in the order they were recorded; `at` in milliseconds. */
export function decideRefund(
  sale: RefundableSale,
  earlier: readonly RefundCall[],
  call: RefundCall,
  at: number,
): RefundDecision {
  const known = call.refundId === undefined ? [] : earlier.filter(({ refundId }) => refundId === call.refundId);
  const refunded = {
    before: sum(countRefunds(sale.amountCents, earlier)),
    after: sum(countRefunds(sale.amountCents, [...earlier, call])),
  };
  const uncounted = isCancel(call)
    ? whyCancelNotCounted({ earlier, known }, call)
    : (whyRefundNotCounted({ earlier, known }, call) ?? whyNothingToRefund(sale.amountCents, refunded, call));
  return uncounted ?? effectOf(sale, refunded, call, at);
}

interface Refunded {
  readonly before: number;
  readonly after: number;
}

interface EarlierCalls {
  readonly earlier: readonly RefundCall[];
  readonly known: readonly RefundCall[];
}

const skipped = (reason: SkippedReason, isRecorded = false): RefundDecision => ({
  kind: "skipped",
  reason,
  isRecorded,
});

function whyConflicting({ earlier, known }: EarlierCalls, call: RefundCall): RefundDecision | undefined {
  if (known.some(({ asked }) => asked === "cancel")) return skipped("canceled");
  const differences = differencesFrom(earlier, known, call);
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
const isTotal = ({ asked }: RefundCall): boolean => asked === "total" || asked === "cancel_total";

const isSameCancel = (other: RefundCall, call: RefundCall): boolean =>
  other.asked === call.asked &&
  other.cents === call.cents &&
  (call.occurredAt === undefined || call.occurredAt === other.occurredAt);

/** The instant up to which a call reports a running total. A cancel without its own instant counts when it is received. */
const instantOf = ({ asked, occurredAt, receivedAt }: RefundCall): number =>
  occurredAt ?? (asked === "cancel_total" ? receivedAt : Number.NEGATIVE_INFINITY);

/** A total is outdated if it precedes the newest call about its refund, or doesn't follow a cancel. */
const isOlder = (known: readonly RefundCall[], { occurredAt }: RefundCall): boolean =>
  occurredAt !== undefined &&
  known.some(
    (other) => occurredAt < instantOf(other) || (other.asked === "cancel_total" && occurredAt <= instantOf(other)),
  );

/** The newest total of a refund (the higher of two at one instant) counts once a cancel lowers those above it. */
const isNewest = (known: readonly RefundCall[], call: RefundCall): boolean =>
  call.occurredAt !== undefined &&
  !isOlder(known, call) &&
  known.every((other) => call.occurredAt !== instantOf(other) || (other.cents ?? 0) < (call.cents ?? 0));

function differencesFrom(
  earlier: readonly RefundCall[],
  known: readonly RefundCall[],
  call: RefundCall,
): readonly string[] {
  const { chargeTotalCents: charge } = call;
  const isOtherCharge =
    charge !== undefined && earlier.some(({ chargeTotalCents: other }) => other !== undefined && other !== charge);
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
  // A commission reversed although not all is refunded lost its `one_time` place to another sale, and doesn't regain it.
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
  { status, isReserved, holdUntil, unconfirmed, approvedBy }: RefundableSale["commission"],
  isWhole: boolean,
  at: number,
): CommissionStatus {
  if (isReserved === true) return status;
  if (status !== "pending" && status !== "approved" && status !== "reversed") return status;
  if (isWhole) return "reversed";
  if (status !== "reversed") return status;
  const isOver = holdUntil !== null && canAutoApprove({ status: "pending", holdUntil, unconfirmed }, at);
  return approvedBy === "person" || isOver ? "approved" : "pending";
}

/**
 * Returns the cents that each call adds to the refunded amount of a sale, in the order the calls were recorded. Refunds
 * in the charge's unit count by their share of the charge. The sum never exceeds the sale; canceled refunds add nothing.
 */
export function countRefunds(saleCents: number, calls: readonly RefundCall[]): readonly number[] {
  const chargeCents = calls.find(({ chargeTotalCents }) => chargeTotalCents !== undefined)?.chargeTotalCents;
  const counted = countedInOwnUnit(saleCents, calls);
  const inSale = (cents: number, unit: "sale" | "charge") =>
    unit === "sale" || chargeCents === undefined ? cents : shareOf(saleCents, cents, chargeCents);
  const ofRefunds = { sale: 0, charge: 0 };
  let ofSaleTotals = 0;
  let total = 0;
  return calls.map((call, i) => {
    const unit = call.chargeTotalCents === undefined || call.asked === "rest" ? "sale" : "charge";
    const cents = counted[i] ?? 0;
    if (isSaleTotal(call)) ofSaleTotals = Math.max(ofSaleTotals, inSale(cents, unit));
    else ofRefunds[unit] += cents;
    const before = total;
    total = Math.min(saleCents, Math.max(ofRefunds.sale + inSale(ofRefunds.charge, "charge"), ofSaleTotals));
    return total - before;
  });
}

/** A running total of the sale, without a refund id. It only counts as far as it exceeds the sum of all refunds. */
const isSaleTotal = ({ asked, refundId }: RefundCall): boolean => asked === "total" && refundId === undefined;

const sum = (parts: readonly number[]): number => parts.reduce((all, part) => all + part, 0);

function countedInOwnUnit(saleCents: number, calls: readonly RefundCall[]): readonly number[] {
  const identified = calls.filter(({ refundId }) => refundId !== undefined);
  const counted = new Map<RefundCall, number>();
  for (const ofRefund of Map.groupBy(identified, ({ refundId }) => refundId).values()) {
    const isClosed = ofRefund.some(({ asked }) => asked === "cancel");
    const parts = isClosed ? ofRefund.map((call) => [call, 0] as const) : totalsAdded(ofRefund);
    for (const [call, cents] of parts) counted.set(call, cents);
  }
  return calls.map((call) => counted.get(call) ?? (call.asked === "rest" ? saleCents : (call.cents ?? 0)));
}

/** A refund's running total rises with each call, in the order of their instants, until a cancel sets it. */
function totalsAdded(known: readonly RefundCall[]): ReadonlyMap<RefundCall, number> {
  const totals = chronological(known.filter(isTotal));
  let running = 0;
  const runs = totals.map(({ asked, cents = 0 }) => {
    running = asked === "cancel_total" ? cents : Math.max(running, cents);
    return running;
  });
  // A later cancel takes from the newest calls first, so a call keeps the least total that follows it.
  let least = Number.POSITIVE_INFINITY;
  const kept = runs.map(() => 0);
  for (let i = runs.length - 1; i >= 0; i -= 1) {
    least = Math.min(least, runs[i] ?? 0);
    kept[i] = least;
  }
  return new Map(totals.map((call, i) => [call, (kept[i] ?? 0) - (kept[i - 1] ?? 0)]));
}

const countedTotal = (known: readonly RefundCall[]): number => sum([...totalsAdded(known).values()]);

/**
 * A total without an instant follows all calls that were recorded before it. At one instant, cancels follow totals, the
 * lowest cancel last.
 */
function chronological(totals: readonly RefundCall[]): readonly RefundCall[] {
  let newest = Number.NEGATIVE_INFINITY;
  const placed = totals.map((call) => {
    newest = Math.max(newest, instantOf(call));
    if (call.asked === "cancel_total") return { call, at: instantOf(call), rank: 1, lowered: -(call.cents ?? 0) };
    const isUndated = call.occurredAt === undefined;
    return { call, at: isUndated ? newest : instantOf(call), rank: isUndated ? 2 : 0, lowered: 0 };
  });
  return placed
    .sort((a, b) => (a.at === b.at ? a.rank - b.rank || a.lowered - b.lowered : a.at < b.at ? -1 : 1))
    .map(({ call }) => call);
}

export interface ReplayedRefund {
  readonly reversedCents: number;
  readonly leftCents: number;
  readonly isWhole: boolean;
}

/** Reverses a commission that is earned after its refunds. `parts` come from `countRefunds`. */
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

import { type CommissionStatus, canAutoApprove, commissionLeft } from "./commission.ts";
import { shareOf } from "./money.ts";

/** An accepted refund call, as it was told. Calls with the same `refundId` speak of one refund. */
export interface RefundCall {
  readonly refundId: string | undefined;
  /** `rest`: all that is left. `cancel` closes the refund; `cancel_total` lowers its running total. */
  readonly asked: "rest" | "amount" | "total" | "cancel" | "cancel_total";
  /** Of `amount`, `total` and `cancel_total`; in the charge's unit where the call tells its total, else in the sale's. */
  readonly cents: number | undefined;
  /** What was paid for the whole sale, in the unit in which refunds come. */
  readonly chargeTotalCents: number | undefined;
  /** When it happened (ms), where the caller said so. */
  readonly toldAt: number | undefined;
  /** When the service received it (ms). */
  readonly receivedAt: number;
}

export interface RefundableSale {
  /** Smallest unit of the sale's currency; ≥ 1. */
  readonly amountCents: number;
  readonly commission: {
    readonly status: CommissionStatus;
    /** As earned, before any refund; frozen. */
    readonly initialCents: number;
    readonly amountCents: number;
    readonly holdUntil: number | null;
    readonly unconfirmed: boolean;
    readonly approvedBy: "hold" | "person" | null;
    /** Whether a `one_time` policy pays another sale of the customer instead by now. */
    readonly isOneTimeUsed: boolean;
  };
}

/** Why a refund call changed nothing. */
export type SkippedReason = "duplicate refund_id" | "already refunded" | "older" | "canceled" | "already reversed";

export type RefundDecision =
  /** `first`: the place of the call that it repeats. */
  | { readonly kind: "duplicate"; readonly first: number }
  | { readonly kind: "conflict"; readonly differences: readonly string[] }
  | { readonly kind: "exceeds"; readonly refundableCents: number }
  /** `isRecorded`: it may count later, so it is kept. */
  | { readonly kind: "skipped"; readonly reason: SkippedReason; readonly isRecorded: boolean }
  | RefundEffect;

export interface RefundEffect {
  readonly kind: "refund";
  /** What the refunded amount of the sale changed by; below 0 where a refund was canceled. */
  readonly refundedCents: number;
  readonly refundedTotalCents: number;
  /** Below 0: what was restored. */
  readonly commissionReversedCents: number;
  /** What is left of the commission. */
  readonly commissionAmountCents: number;
  readonly initialCents: number;
  readonly status: "refunded" | "reversed" | "no_commission" | "restored";
  readonly reason: "one_time_used" | undefined;
  readonly nextCommissionStatus: CommissionStatus;
}

/** What a call does to its sale and commission at `at` (ms). `earlier` are the sale's calls, in the order recorded. */
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
  return whyNotCounted(sale, refunded, earlier, known, call) ?? effectOf(sale, refunded, call, at);
}

/** What is refunded of the sale without a call, and with it. */
interface Refunded {
  readonly before: number;
  readonly after: number;
}

function whyNotCounted(
  { amountCents }: RefundableSale,
  { before, after }: Refunded,
  earlier: readonly RefundCall[],
  known: readonly RefundCall[],
  call: RefundCall,
): RefundDecision | undefined {
  const skipped = (reason: SkippedReason, isRecorded = false) => ({ kind: "skipped", reason, isRecorded }) as const;
  if (known.some(({ asked }) => asked === "cancel")) return skipped("canceled");
  const differences = differencesFrom(earlier, known, call);
  if (differences.length > 0) return { kind: "conflict", differences };
  if (isCancel(call)) return known.some((other) => isSameCancel(other, call)) ? skipped("canceled") : undefined;

  const [first] = known;
  if (first !== undefined && !isTotal(call)) return { kind: "duplicate", first: earlier.indexOf(first) };
  if (first !== undefined) {
    const last = standingTotal(known);
    const highest = Math.max(...known.map(({ cents }) => cents ?? 0));
    if ((call.cents ?? 0) <= last || (call.toldAt === undefined && (call.cents ?? 0) <= highest)) {
      return skipped("already refunded", isNewest(known, call));
    }
    if (isOlder(known, call)) return skipped("older");
  }

  if (before >= amountCents) return skipped("already reversed", call.refundId !== undefined);
  if (call.asked === "amount" && call.chargeTotalCents === undefined) {
    const refundableCents = amountCents - before;
    return (call.cents ?? 0) > refundableCents ? { kind: "exceeds", refundableCents } : undefined;
  }
  return isOfWhole(call) && after <= before ? skipped("already refunded") : undefined;
}

const isCancel = ({ asked }: RefundCall): boolean => asked === "cancel" || asked === "cancel_total";
const isTotal = ({ asked }: RefundCall): boolean => asked === "total" || asked === "cancel_total";

const isSameCancel = (other: RefundCall, call: RefundCall): boolean =>
  other.asked === call.asked &&
  other.cents === call.cents &&
  (call.toldAt === undefined || call.toldAt === other.toldAt);

/** The instant up to which a call speaks of a running total; a cancel without one, of the moment it came. */
const instantOf = ({ asked, toldAt, receivedAt }: RefundCall): number =>
  toldAt ?? (asked === "cancel_total" ? receivedAt : Number.NEGATIVE_INFINITY);

/** A total from before the newest word on its refund, or not after a cancel, says nothing new. */
const isOlder = (known: readonly RefundCall[], { toldAt }: RefundCall): boolean =>
  toldAt !== undefined &&
  known.some((other) => toldAt < instantOf(other) || (other.asked === "cancel_total" && toldAt <= instantOf(other)));

/** The newest word on a refund, of two at one instant the higher: it counts once a cancel takes what stands above it. */
const isNewest = (known: readonly RefundCall[], call: RefundCall): boolean =>
  call.toldAt !== undefined &&
  !isOlder(known, call) &&
  known.every((other) => call.toldAt !== instantOf(other) || (other.cents ?? 0) < (call.cents ?? 0));

function differencesFrom(
  earlier: readonly RefundCall[],
  known: readonly RefundCall[],
  call: RefundCall,
): readonly string[] {
  const { chargeTotalCents: charge } = call;
  const isOtherCharge =
    charge !== undefined && earlier.some(({ chargeTotalCents: told }) => told !== undefined && told !== charge);
  const told = known.find(({ asked }) => asked !== "cancel");
  const isOtherUnit =
    told !== undefined && call.asked !== "cancel" && (told.chargeTotalCents === undefined) !== (charge === undefined);
  const chargeField = isOtherCharge || isOtherUnit ? ["charge_total_cents"] : [];
  if (told === undefined || call.asked === "cancel") return chargeField;
  if (isTotal(told) && isTotal(call)) return chargeField;
  const isSame = told.asked === call.asked && told.cents === call.cents;
  return isSame ? chargeField : [fieldOf(isTotal(call) || call.asked === "amount" ? call : told), ...chargeField];
}

const fieldOf = (call: RefundCall): string => (isTotal(call) ? "refunded_total_cents" : "refund_amount_cents");

function effectOf(
  { amountCents: saleCents, commission }: RefundableSale,
  { before, after: refundedTotalCents }: Refunded,
  call: RefundCall,
  at: number,
): RefundEffect {
  const isWhole = refundedTotalCents === saleCents;
  // Reversed while something is left: its place went to another sale earlier, and stays lost though it is free again.
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
  { status, holdUntil, unconfirmed, approvedBy }: RefundableSale["commission"],
  isWhole: boolean,
  at: number,
): CommissionStatus {
  if (status !== "pending" && status !== "approved" && status !== "reversed") return status;
  if (isWhole) return "reversed";
  if (status !== "reversed") return status;
  const isOver = holdUntil !== null && canAutoApprove({ status: "pending", holdUntil, unconfirmed }, at);
  return approvedBy === "person" || isOver ? "approved" : "pending";
}

/**
 * What each call adds to what is refunded of a sale, in the order they were recorded: refunds told in the sale's unit,
 * and those told in the charge's by their share of it, never more than the sale. A canceled refund adds nothing.
 */
export function countRefunds(saleCents: number, calls: readonly RefundCall[]): readonly number[] {
  const chargeCents = calls.find(({ chargeTotalCents }) => chargeTotalCents !== undefined)?.chargeTotalCents;
  const standing = standingOf(saleCents, calls);
  const inSale = (cents: number, unit: "sale" | "charge") =>
    unit === "sale" || chargeCents === undefined ? cents : shareOf(saleCents, cents, chargeCents);
  const ofIds = { sale: 0, charge: 0 };
  let ofWhole = 0;
  let total = 0;
  return calls.map((call, i) => {
    const unit = call.chargeTotalCents === undefined || call.asked === "rest" ? "sale" : "charge";
    const stands = standing[i] ?? 0;
    if (isOfWhole(call)) ofWhole = Math.max(ofWhole, inSale(stands, unit));
    else ofIds[unit] += stands;
    const before = total;
    total = Math.min(saleCents, Math.max(ofIds.sale + inSale(ofIds.charge, "charge"), ofWhole));
    return total - before;
  });
}

/** A running total without an id, of the sale as a whole: it counts as far as it is above the sum of all others. */
const isOfWhole = ({ asked, refundId }: RefundCall): boolean => asked === "total" && refundId === undefined;

const sum = (parts: readonly number[]): number => parts.reduce((all, part) => all + part, 0);

/** What of each call stands, in its own unit: nothing of a closed refund; of running totals, what each added for good. */
function standingOf(saleCents: number, calls: readonly RefundCall[]): readonly number[] {
  const byId = new Map<string, RefundCall[]>();
  for (const call of calls) {
    if (call.refundId === undefined) continue;
    const ofId = byId.get(call.refundId);
    if (ofId === undefined) byId.set(call.refundId, [call]);
    else ofId.push(call);
  }
  const added = new Map<RefundCall, number>();
  for (const ofId of byId.values()) {
    if (ofId.some(({ asked }) => asked === "cancel")) for (const call of ofId) added.set(call, 0);
    else for (const [call, cents] of totalsAdded(ofId)) added.set(call, cents);
  }
  return calls.map((call) => added.get(call) ?? (call.asked === "rest" ? saleCents : (call.cents ?? 0)));
}

/** The running total of one refund: it grows with each word on it, in the order of their instants, and a cancel sets it. */
function totalsAdded(known: readonly RefundCall[]): ReadonlyMap<RefundCall, number> {
  const totals = inTime(known.filter(isTotal));
  let running = 0;
  const runs = totals.map(({ asked, cents = 0 }) => {
    running = asked === "cancel_total" ? cents : Math.max(running, cents);
    return running;
  });
  // What stands at the end of what was told by then: later cancels take from the newest first.
  let least = Number.POSITIVE_INFINITY;
  const standing = runs.map(() => 0);
  for (let i = runs.length - 1; i >= 0; i -= 1) {
    least = Math.min(least, runs[i] ?? 0);
    standing[i] = least;
  }
  return new Map(totals.map((call, i) => [call, (standing[i] ?? 0) - (standing[i - 1] ?? 0)]));
}

const standingTotal = (known: readonly RefundCall[]): number => sum([...totalsAdded(known).values()]);

/**
 * A total without an instant counted when it came: after all that was known by then, which is before it in the list.
 * At one instant cancels come after totals, the lowest of them last.
 */
function inTime(totals: readonly RefundCall[]): readonly RefundCall[] {
  let newest = Number.NEGATIVE_INFINITY;
  const placed = totals.map((call) => {
    newest = Math.max(newest, instantOf(call));
    if (call.asked === "cancel_total") return { call, at: instantOf(call), rank: 1, lowered: -(call.cents ?? 0) };
    const isUntold = call.toldAt === undefined;
    return { call, at: isUntold ? newest : instantOf(call), rank: isUntold ? 2 : 0, lowered: 0 };
  });
  return placed
    .sort((a, b) => (a.at === b.at ? a.rank - b.rank || a.lowered - b.lowered : a.at < b.at ? -1 : 1))
    .map(({ call }) => call);
}

/** A refund recorded while nothing was due, as it follows when its sale is attributed. */
export interface ReplayedRefund {
  readonly reversedCents: number;
  /** What is left of the commission after it. */
  readonly leftCents: number;
  readonly isWhole: boolean;
}

/** What each refund reverses of a commission that is earned only after them; `parts` as `countRefunds` gives them. */
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

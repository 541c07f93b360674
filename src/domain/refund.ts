import { type CommissionStatus, commissionLeft } from "./commission.ts";

/** What a call asks for, in the smallest unit of the sale's currency. Neither amount nor total: all that is left. */
export interface RefundRequest {
  readonly amountCents?: number | undefined;
  /** The running total instead of an amount. */
  readonly totalCents?: number | undefined;
  readonly refundId?: string | undefined;
}

export interface RefundableSale {
  readonly amountCents: number;
  /** So far. */
  readonly refundedCents: number;
  readonly commission: {
    readonly status: CommissionStatus;
    /** As earned, before any refund; frozen. */
    readonly initialCents: number;
    readonly amountCents: number;
  };
}

/** The refund that was recorded under the same `refund_id`. */
export interface EarlierRefund {
  readonly refundedCents: number;
  readonly refundedTotalCents: number;
  readonly asked: "rest" | "amount" | "total";
  readonly commissionReversedCents: number;
  readonly commissionAmountCents: number;
  readonly status: "refunded" | "reversed" | "no_commission";
}

export type RefundDecision =
  | { readonly kind: "skipped"; readonly reason: "duplicate refund_id"; readonly first: EarlierRefund }
  | { readonly kind: "skipped"; readonly reason: "already reversed" | "already refunded" }
  | { readonly kind: "conflict"; readonly differences: readonly string[] }
  | { readonly kind: "exceeds"; readonly refundableCents: number }
  | {
      readonly kind: "refund";
      readonly refundedCents: number;
      readonly refundedTotalCents: number;
      readonly commissionReversedCents: number;
      /** What is left of the commission. */
      readonly commissionAmountCents: number;
      readonly status: "refunded" | "reversed" | "no_commission";
      readonly nextCommissionStatus: CommissionStatus;
    };

/** What a refund does to its sale and commission. `earlier` is the sale's refund of the same `refund_id`, if any. */
export function decideRefund(
  sale: RefundableSale,
  request: RefundRequest,
  earlier: EarlierRefund | undefined,
): RefundDecision {
  if (earlier !== undefined) {
    const differences = differencesFrom(earlier, request);
    if (differences.length > 0) return { kind: "conflict", differences };
    return { kind: "skipped", reason: "duplicate refund_id", first: earlier };
  }

  const refundableCents = sale.amountCents - sale.refundedCents;
  if (refundableCents <= 0) return { kind: "skipped", reason: "already reversed" };
  const refundedCents =
    request.totalCents === undefined
      ? (request.amountCents ?? refundableCents)
      : request.totalCents - sale.refundedCents;
  if (refundedCents <= 0) return { kind: "skipped", reason: "already refunded" };
  if (refundedCents > refundableCents) return { kind: "exceeds", refundableCents };

  const { commission } = sale;
  const refundedTotalCents = sale.refundedCents + refundedCents;
  const commissionAmountCents = isOwed(commission.status)
    ? Math.min(commission.amountCents, commissionLeft(commission.initialCents, sale.amountCents, refundedTotalCents))
    : commission.amountCents;
  const nothingLeft = refundedTotalCents === sale.amountCents;
  const isOpen = commission.status === "pending" || commission.status === "approved";
  return {
    kind: "refund",
    refundedCents,
    refundedTotalCents,
    commissionReversedCents: commission.amountCents - commissionAmountCents,
    commissionAmountCents,
    status: commission.status === "void" ? "no_commission" : nothingLeft ? "reversed" : "refunded",
    nextCommissionStatus: nothingLeft && isOpen ? "reversed" : commission.status,
  };
}

const isOwed = (status: CommissionStatus): boolean =>
  status === "pending" || status === "approved" || status === "paid";

function differencesFrom(earlier: EarlierRefund, { amountCents, totalCents }: RefundRequest): readonly string[] {
  if (amountCents === undefined && totalCents === undefined) {
    if (earlier.asked === "rest") return [];
    return [earlier.asked === "amount" ? "refund_amount_cents" : "refunded_total_cents"];
  }
  const differences: string[] = [];
  if (amountCents !== undefined && amountCents !== earlier.refundedCents) differences.push("refund_amount_cents");
  if (totalCents !== undefined && totalCents !== earlier.refundedTotalCents) differences.push("refunded_total_cents");
  return differences;
}

/**
 * What each refund of a sale reverses of a commission that is earned only after them, in their order. `refundTotals`
 * are the refunded totals after each.
 */
export function replayRefunds(
  initialCents: number,
  saleCents: number,
  refundTotals: readonly number[],
): readonly number[] {
  let left = initialCents;
  return refundTotals.map((refundedTotalCents) => {
    const before = left;
    left = commissionLeft(initialCents, saleCents, refundedTotalCents);
    return before - left;
  });
}

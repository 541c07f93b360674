import { clamped } from "./money.ts";

/** A partner's stored amounts in one currency. They may exceed 2^53. */
export interface BalanceSums {
  readonly pendingCents: bigint;
  /** Negative if the partner owes money. */
  readonly payableCents: bigint;
  readonly inPayoutCents: bigint;
  readonly paidCents: bigint;
}

/**
 * A partner's amounts in one currency as shown. The balance is `pendingCents + payableCents + inPayoutCents +
 * carriedCents`.
 */
export interface Balance {
  readonly pendingCents: number;
  /** At least 0. */
  readonly payableCents: number;
  readonly inPayoutCents: number;
  readonly paidCents: number;
  /** At most 0: the amount that the next payout deducts. */
  readonly carriedCents: number;
}

export const balanceOf = ({ pendingCents, payableCents, inPayoutCents, paidCents }: BalanceSums): Balance => ({
  pendingCents: clamped(pendingCents),
  payableCents: clamped(payableCents > 0n ? payableCents : 0n),
  inPayoutCents: clamped(inPayoutCents),
  paidCents: clamped(paidCents),
  carriedCents: clamped(payableCents < 0n ? payableCents : 0n),
});

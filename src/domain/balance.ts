import { clamped } from "./money.ts";

/** A partner's stored amounts in one currency. They may exceed 2^53. */
export interface BalanceSums {
  readonly pendingCents: bigint;
  /** Negative if the partner owes. */
  readonly payableCents: bigint;
  readonly inPayoutCents: bigint;
  readonly paidCents: bigint;
}

/** `pendingCents + payableCents + inPayoutCents + carriedCents` is the balance. */
export interface Balance {
  readonly pendingCents: number;
  /** ≥ 0. */
  readonly payableCents: number;
  readonly inPayoutCents: number;
  readonly paidCents: number;
  /** ≤ 0. */
  readonly carriedCents: number;
}

export const balanceOf = ({ pendingCents, payableCents, inPayoutCents, paidCents }: BalanceSums): Balance => ({
  pendingCents: clamped(pendingCents),
  payableCents: clamped(payableCents > 0n ? payableCents : 0n),
  inPayoutCents: clamped(inPayoutCents),
  paidCents: clamped(paidCents),
  carriedCents: clamped(payableCents < 0n ? payableCents : 0n),
});

/**
 * Amounts that the database keeps of a partner in one currency. The last two are of payouts whose steps aren't done:
 * `freedCents` is still counted in `inPayoutCents` and belongs to `netCents` again, `confirmedCents` is still counted in
 * `inPayoutCents` and is paid. Sums may exceed 2^53.
 */
export interface BalanceSums {
  readonly pendingCents: bigint;
  readonly netCents: bigint;
  readonly inPayoutCents: bigint;
  readonly paidCents: bigint;
  readonly freedCents: bigint;
  readonly confirmedCents: bigint;
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

export function balanceOf(sums: BalanceSums): Balance {
  const net = sums.netCents + sums.freedCents;
  return {
    pendingCents: Number(sums.pendingCents),
    payableCents: Number(net > 0n ? net : 0n),
    inPayoutCents: Number(sums.inPayoutCents - sums.freedCents - sums.confirmedCents),
    paidCents: Number(sums.paidCents + sums.confirmedCents),
    carriedCents: Number(net < 0n ? net : 0n),
  };
}

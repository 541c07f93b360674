/** The maximum of every amount field, in the currency's smallest unit. */
export const maxAmountCents = 10 ** 11;

/** The largest sum of a payout or in a response. JSON readers lose precision with larger integers. */
export const maxSum = BigInt(Number.MAX_SAFE_INTEGER);

export const clamped = (sum: bigint): number => Number(sum > maxSum ? maxSum : sum < -maxSum ? -maxSum : sum);

/** Requires `numerator` ≥ 0 and `denominator` ≥ 1. */
export const divideHalfUp = (numerator: bigint, denominator: bigint): bigint =>
  (2n * numerator + denominator) / (2n * denominator);

/**
 * `amountCents · part / whole`, rounded half up. Computed with bigint, because the product can exceed 2^53. Requires
 * integers with `amountCents` ≥ 0, `part` ≥ 0 and `whole` ≥ 1.
 */
export const shareOf = (amountCents: number, part: number, whole: number): number =>
  Number(divideHalfUp(BigInt(amountCents) * BigInt(part), BigInt(whole)));

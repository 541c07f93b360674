/** The maximum of every amount field, in the currency's smallest unit. */
export const maxAmountCents = 10 ** 11;

/** The largest sum of a payout, and of any response: larger integers lose precision in JSON. */
export const maxSum = BigInt(Number.MAX_SAFE_INTEGER);

export const clamped = (sum: bigint): number => Number(sum > maxSum ? maxSum : sum < -maxSum ? -maxSum : sum);

/** `numerator` ≥ 0, `denominator` ≥ 1. */
export const divideHalfUp = (numerator: bigint, denominator: bigint): bigint =>
  (2n * numerator + denominator) / (2n * denominator);

/**
 * `amountCents · part / whole`, rounded half up. Uses bigint, because the product of two amounts can exceed 2^53.
 * `amountCents` and `part` ≥ 0, `whole` ≥ 1, all integers.
 */
export const shareOf = (amountCents: number, part: number, whole: number): number =>
  Number(divideHalfUp(BigInt(amountCents) * BigInt(part), BigInt(whole)));

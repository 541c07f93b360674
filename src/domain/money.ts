/** The largest amount that any field takes, in the currency's smallest unit. */
export const maxAmountCents = 10 ** 11;

/** The quotient rounded to the nearest whole, a half upwards. `numerator` ≥ 0, `denominator` ≥ 1. */
export const divideHalfUp = (numerator: bigint, denominator: bigint): bigint =>
  (2n * numerator + denominator) / (2n * denominator);

/**
 * `amountCents · part / whole`, a half rounded upwards. The product of two amounts passes 2^53, so it is never
 * a number on the way. `amountCents` and `part` ≥ 0, `whole` ≥ 1, all integers.
 */
export const shareOf = (amountCents: number, part: number, whole: number): number =>
  Number(divideHalfUp(BigInt(amountCents) * BigInt(part), BigInt(whole)));

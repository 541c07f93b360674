import { dayMs } from "#domain/calendar.ts";
import type { Policy, VoidReason } from "#domain/commission.ts";

// Doesn't use src/domain, because the audit checks its arithmetic.

function halfUp(numerator: bigint, denominator: bigint): number {
  const whole = numerator / denominator;
  return Number((numerator % denominator) * 2n >= denominator ? whole + 1n : whole);
}

/** The terms, except the commission itself, that are amounts in the policy's currency. */
export const amountTerms = ["minSaleCents", "maxCommissionCents"] as const satisfies readonly (keyof Policy)[];

export const shareOf = (cents: number, rateBps: number): number => halfUp(BigInt(cents) * BigInt(rateBps), 10_000n);

export function earnedBy(
  { maxCommissionCents }: Policy,
  groups: readonly { readonly cents: number }[],
): { readonly uncappedCents: number; readonly earnedCents: number } {
  const uncappedCents = groups.reduce((sum, { cents }) => sum + cents, 0);
  const isAbove = maxCommissionCents !== null && uncappedCents > maxCommissionCents;
  return { uncappedCents, earnedCents: isAbove ? maxCommissionCents : uncappedCents };
}

/** The reason if the policy's limits exclude a sale of this amount. */
export const limitReason = ({ minSaleCents }: Policy, saleCents: number): VoidReason | undefined =>
  minSaleCents !== null && saleCents < minSaleCents ? "below_minimum" : undefined;

export const heldUntil = ({ holdDays }: Policy, soldAt: number): number => soldAt + holdDays * dayMs;

export const leftOf = (initialCents: number, saleCents: number, refundedCents: number): number =>
  halfUp(BigInt(initialCents) * (BigInt(saleCents) - BigInt(refundedCents)), BigInt(saleCents));

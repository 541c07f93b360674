import { effectiveRules, type Ruled } from "./effective-rules.ts";

// Separate from effective-rules.ts, which the dashboard loads before its first screen.

/**
 * True if there can be a sale that no rule covers: a single purchase of a product that no rule names. Only such sales
 * earn by the policy's own terms and tiers.
 */
export function hasOwnTerms(policy: Ruled): boolean {
  // A rule for months doesn't cover later sales, which the scope includes: otherwise the condition was omitted.
  const all = effectiveRules(policy)
    .map(({ when }) => when)
    .filter(({ productIds, interval, withinMonths }) => !productIds && !interval && !withinMonths);
  // Each number is a kind of sale: its bits are the values of the three conditions.
  return [0, 1, 2, 3, 4, 5, 6, 7].some((kind) =>
    all.every((when) =>
      [when.isFirst, when.isRecurring, when.coupon].some(
        (wanted, bit) => wanted !== undefined && wanted !== Boolean(kind & (1 << bit)),
      ),
    ),
  );
}

/** The tiers, unless rules cover all sales. */
export const effectiveTiers = <T>(policy: Ruled & { readonly tiers: T | null }): T | null =>
  policy.tiers !== null && hasOwnTerms(policy) ? policy.tiers : null;

import type { Policy } from "./commission.ts";
import type { Rule, RuleConditions } from "./rules.ts";

type Scoped = Pick<Policy, "scope" | "durationMonths">;
export type Ruled = Scoped & Pick<Policy, "rules">;

/**
 * True if the rule covers only renewals or later sales, and the policy's scope is a customer's first sale. Such a rule
 * never applies.
 */
export const isOutsideScope = (scope: Policy["scope"], { when }: Pick<Rule, "when">): boolean =>
  scope === "one_time" && (when.isRecurring === true || when.isFirst === false);

/** Omits conditions that every sale within the policy's scope meets. */
export function ownConditions(when: RuleConditions, { scope, durationMonths }: Scoped): RuleConditions {
  const { isFirst, isRecurring, withinMonths, ...others } = when;
  const isOneTime = scope === "one_time";
  const coversScope = scope === "recurring" && durationMonths !== null && (withinMonths ?? 0) >= durationMonths;
  return {
    ...others,
    ...(isFirst !== undefined && !isOneTime && { isFirst }),
    ...(isRecurring !== undefined && !isOneTime && { isRecurring }),
    ...(withinMonths !== undefined && !coversScope && { withinMonths }),
  };
}

export const coversEverything = ({ when }: Pick<Rule, "when">): boolean => Object.keys(when).length === 0;

/**
 * The rules that can apply: those within the policy's scope, up to the first one that covers everything. Conditions
 * that the scope implies are omitted.
 */
export function effectiveRules(policy: Ruled): readonly Rule[] {
  const within = (policy.rules ?? [])
    .filter((rule) => !isOutsideScope(policy.scope, rule))
    .map((rule) => ({ ...rule, when: ownConditions(rule.when, policy) }));
  const last = within.findIndex(coversEverything);
  return last === -1 ? within : within.slice(0, last + 1);
}

/**
 * True if there can be a sale that no rule covers: a single purchase of a product that no rule names. Only such sales
 * earn by the policy's own terms and tiers.
 */
export function hasOwnTerms(policy: Ruled): boolean {
  // A rule that still has `withinMonths` doesn't cover the later sales within the policy's scope.
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

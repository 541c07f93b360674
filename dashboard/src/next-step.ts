import type { NextStep } from "#domain/tiers.ts";
import { formatMoney, pluralize } from "./format.ts";

/**
 * Describes the distance to the next tier: "3 more sales until the next tier." `currency` is the program's currency.
 */
export const nextStepText = ({ metric, remaining }: NextStep, currency: string): string =>
  metric === "sales"
    ? `${pluralize(remaining, "more sale")} until the next tier.`
    : `${formatMoney(remaining, currency)} more in sales until the next tier.`;

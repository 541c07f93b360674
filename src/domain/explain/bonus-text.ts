import type { BonusTerms } from "../bonuses.ts";
import { noUnits, type Units } from "../units.ts";
import { countText, moneyText } from "./text.ts";
import { periodText } from "./tier-text.ts";

type Goal = Pick<BonusTerms, "metric" | "threshold" | "salesCurrency">;

const goalText = ({ metric, threshold, salesCurrency }: Goal): string =>
  metric === "sales" ? countText(threshold, "sale") : `${moneyText(threshold, salesCurrency ?? "", noUnits)} of sales`;

/** Says why a partner got a bonus: "Bonus: 10 sales in October 2026". */
export function bonusText(bonus: Goal, period: string): string {
  const isMonth = /-\d/.test(period);
  return `Bonus: ${goalText(bonus)} in ${periodText(period)}${isMonth ? ` ${period.slice(0, 4)}` : ""}`;
}

/** Describes a bonus: "Bonus of €50.00 for 10 sales a month". */
export const bonusTermsText = ({ amountCents, currency, period, ...goal }: BonusTerms, units: Units): string =>
  `Bonus of ${moneyText(amountCents, currency, units)} for ${goalText(goal)} a ${period}`;

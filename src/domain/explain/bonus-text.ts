import type { BonusTerms } from "../bonuses.ts";
import { noUnits, type Unit, unitsByCode } from "../units.ts";
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

export interface BonusWithUnit extends BonusTerms {
  /** The unit of the amount. Null if it is in a currency. */
  readonly unit: Unit | null;
}

const list = new Intl.ListFormat("en");

/** Describes bonuses: "a bonus of €50.00 for 10 sales a month". Null without bonuses. */
export function bonusesText(bonuses: readonly BonusWithUnit[]): string | null {
  if (bonuses.length === 0) return null;
  const each = bonuses.map(({ amountCents, currency, unit, period, ...goal }) => {
    const units = unitsByCode(unit === null ? [] : [unit]);
    return `${moneyText(amountCents, currency, units)} for ${goalText(goal)} a ${period}`;
  });
  return `${each.length === 1 ? "a bonus" : "bonuses"} of ${list.format(each)}`;
}

import { type BonusWithUnit, bonusesText } from "./bonus-text.ts";
import { commissionText } from "./commission-text.ts";

/**
 * Describes what partners earn: the commission and the program's bonuses. Null if sales earn nothing, so that no bonus
 * can be reached.
 */
export function termsText(
  policy: Parameters<typeof commissionText>[0],
  bonuses: readonly BonusWithUnit[],
): string | null {
  const commission = commissionText(policy);
  const bonus = bonusesText(bonuses);
  if (commission === null || bonus === null) return commission;
  // The bonus belongs to the whole text, not only to its last clause.
  return `${commission}${commission.includes(";") ? ";" : ","} plus ${bonus}`;
}

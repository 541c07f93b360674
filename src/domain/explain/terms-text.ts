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
  const parts = [commissionText(policy), bonusesText(bonuses)];
  return parts[0] === null ? null : parts.filter((part) => part !== null).join(", plus ");
}

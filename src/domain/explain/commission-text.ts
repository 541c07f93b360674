import type { Policy } from "../commission.ts";
import { countText, moneyText, percentText } from "./text.ts";

type Terms = Pick<
  Policy,
  "type" | "scope" | "rateBps" | "amountCents" | "currency" | "durationMonths" | "minSaleCents" | "maxCommissionCents"
>;

/** "20% of each sale in the 12 months after a customer's first one". Null where there is no commission. */
export function commissionText(terms: Terms): string | null {
  if (terms.type === "none") return null;
  const { currency } = terms;
  const money = (cents: number) => (currency === null ? String(cents) : moneyText(cents, currency));
  const share =
    terms.type === "percent" ? `${percentText(terms.rateBps ?? 0)} of` : `${money(terms.amountCents ?? 0)} for`;
  const limits = [
    ...(terms.minSaleCents === null ? [] : [`from ${money(terms.minSaleCents)} on`]),
    ...(terms.maxCommissionCents === null ? [] : [`at most ${money(terms.maxCommissionCents)} each`]),
  ];
  return [`${share} ${salesOf(terms)}`, ...limits].join(", ");
}

function salesOf({ scope, durationMonths }: Pick<Terms, "scope" | "durationMonths">): string {
  if (scope === "one_time") return "a customer's first sale";
  if (scope === "lifetime" || durationMonths === null) return "each sale";
  return `each sale in the ${countText(durationMonths, "month")} after a customer's first one`;
}

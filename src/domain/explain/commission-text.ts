import type { Policy } from "../commission.ts";
import { coversEverything, effectiveRules } from "../effective-rules.ts";
import { hasOwnTerms } from "../own-terms.ts";
import { noUnits, unitText } from "../units.ts";
import { rulesText } from "./rule-text.ts";
import { countText, moneyText, percentText } from "./text.ts";
import { type Formats, tiersText } from "./tiers-text.ts";

type Terms = Pick<
  Policy,
  | "type"
  | "scope"
  | "rateBps"
  | "amountCents"
  | "currency"
  | "unit"
  | "durationMonths"
  | "minSaleCents"
  | "maxCommissionCents"
  | "rules"
  | "tiers"
>;

/** Formats of a policy's amounts. Amounts without a currency are numbers. */
export function formatsOf({ currency, unit }: Pick<Terms, "currency" | "unit">): Formats {
  const money = (cents: number) => (currency === null ? String(cents) : moneyText(cents, currency, noUnits));
  return { money, reward: unit === null ? money : (amount) => unitText(amount, unit, "en") };
}

/** Describes a policy: "20% of each sale; 10% on pro". Null if it pays no commission. */
export function commissionText(given: Terms): string | null {
  if (given.type === "none") return null;
  const { terms, hasOwn } = asDeciding(given);
  const { money, reward } = formatsOf(terms);
  const share =
    terms.type === "percent" ? `${percentText(terms.rateBps ?? 0)} of` : `${reward(terms.amountCents ?? 0)} for`;
  const own = [
    `${share} ${salesOf(terms)}`,
    ...(terms.tiers === null ? [] : [tiersText(terms.tiers, { money, reward })]),
  ].join(", ");
  const rules = terms.rules ?? [];
  if (!hasOwn && rules.every(({ excluded }) => excluded)) return null;
  if (rules.length > 0) {
    const covered = terms.scope === "lifetime" ? [] : [`only for ${salesOf(terms)}`];
    const [first, last] = hasOwn ? [[own], []] : [[], covered];
    return [...first, rulesText(rules, { money: reward }), ...last, ...limitsOfAll(terms, money)].join("; ");
  }
  const limits = [
    ...(terms.minSaleCents === null ? [] : [`from ${money(terms.minSaleCents)} on`]),
    ...(terms.maxCommissionCents === null ? [] : [`at most ${money(terms.maxCommissionCents)} each`]),
  ];
  return [own, ...limits].join(", ");
}

/**
 * The terms with the rules that can apply. `hasOwn` is true if the policy's own terms apply. A rate for everything takes
 * their place.
 */
function asDeciding(terms: Terms): { readonly terms: Terms; readonly hasOwn: boolean } {
  const rules = effectiveRules(terms);
  const everything = rules.find(coversEverything);
  if (everything === undefined) return { terms: { ...terms, rules }, hasOwn: hasOwnTerms(terms) };
  const { rateBps } = everything;
  return rateBps === undefined
    ? { terms: { ...terms, rules }, hasOwn: false }
    : { terms: { ...terms, type: "percent", rateBps, rules: rules.slice(0, -1), tiers: null }, hasOwn: true };
}

/** Limits that apply to all items, including those decided by rules. */
const limitsOfAll = (
  { scope, minSaleCents, maxCommissionCents }: Terms,
  money: (cents: number) => string,
): readonly string[] => [
  ...(scope === "lifetime" ? [] : ["nothing on later sales"]),
  ...(minSaleCents === null ? [] : [`nothing on sales below ${money(minSaleCents)}`]),
  ...(maxCommissionCents === null ? [] : [`at most ${money(maxCommissionCents)} for a sale`]),
];

function salesOf({ scope, durationMonths }: Pick<Terms, "scope" | "durationMonths">): string {
  if (scope === "one_time") return "a customer's first sale";
  if (scope === "lifetime" || durationMonths === null) return "each sale";
  const months = durationMonths === 1 ? "month" : countText(durationMonths, "month");
  return `each sale in the ${months} after a customer's first one`;
}

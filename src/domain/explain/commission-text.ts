import type { Policy } from "../commission.ts";
import { coversEverything, effectiveRules, hasOwnTerms } from "../effective-rules.ts";
import type { Rule } from "../rules.ts";
import { noUnits, unitText } from "../units.ts";
import { namedText, rulesText } from "./rule-text.ts";
import { countText, moneyText, percentText } from "./text.ts";
import { type Formats, tiersText } from "./tiers-text.ts";

type Terms = Pick<
  Policy,
  | "type"
  | "scope"
  | "rateBps"
  | "amountCents"
  | "currency"
  | "durationMonths"
  | "minSaleCents"
  | "maxCommissionCents"
  | "rules"
  | "tiers"
> & { readonly unit: unknown };
type TermsInUnit = Terms & Pick<Policy, "unit">;

interface Written extends Formats {
  /** True to add the names of rules. Partners don't see them. */
  readonly withNames?: boolean;
}

/** Formats of a policy's amounts. Amounts without a currency are formatted as plain numbers. */
export function formatsOf({ currency, unit }: Pick<TermsInUnit, "currency" | "unit">): Formats {
  const money = (cents: number) => (currency === null ? String(cents) : moneyText(cents, currency, noUnits));
  return { money, reward: unit === null ? money : (amount) => unitText(amount, unit, "en") };
}

/** Describes a policy in English, as its partners see it: "20% of each sale; 10% on pro". */
export const commissionText = (policy: TermsInUnit): string | null => describeCommission(policy, formatsOf(policy));

/** Describes a policy in the given formats. Null if it pays no commission. */
export function describeCommission(given: Terms, { money, reward, withNames = false }: Written): string | null {
  if (given.type === "none") return null;
  const { terms, rules, hasOwn, everything } = asDeciding(given);
  if (!hasOwn && rules.every(({ excluded }) => excluded)) return null;
  const isLimited = terms.scope !== "lifetime" && rules.length > 0;
  const ofRules = rules.length > 0 && rulesText(rules, { money: reward, withNames });
  const name = withNames && everything ? namedText(everything) : "";
  const own = hasOwn && `${ownText(terms, { money, reward })}${name}`;
  // A fixed amount is added to those of the rules if an item is left that no rule covers.
  const parts = own && ofRules && terms.type === "flat" ? [ofRules, `${own}, if it has other items`] : [own, ofRules];
  return [
    ...parts,
    isLimited && (hasOwn ? "nothing on later sales" : `only for ${salesOf(terms).replace(/^each sale/, "sales")}`),
    terms.minSaleCents && `nothing on sales below ${money(terms.minSaleCents)}`,
    terms.maxCommissionCents !== null && `at most ${money(terms.maxCommissionCents)} for a sale`,
    currencyText(terms, rules, hasOwn),
  ]
    .filter(Boolean)
    .join("; ");
}

function ownText(terms: Terms, formats: Formats): string {
  const share =
    terms.type === "percent"
      ? `${percentText(terms.rateBps ?? 0)} of`
      : `${formats.reward(terms.amountCents ?? 0)} for`;
  const own = `${share} ${salesOf(terms)}`;
  return terms.tiers === null ? own : `${own}, ${tiersText(terms.tiers, formats)}`;
}

/** States which sales must be in the policy's currency: the others earn nothing. */
function currencyText(
  { type, currency, unit, minSaleCents, maxCommissionCents }: Terms,
  rules: readonly Rule[],
  hasOwn: boolean,
): string | undefined {
  const isFixed = rules.filter(({ excluded }) => !excluded).map(({ amountCents }) => amountCents !== undefined);
  if (hasOwn) isFixed.push(type === "flat");
  const hasLimit = minSaleCents !== null || maxCommissionCents !== null;
  if (hasLimit || (unit === null && !isFixed.includes(false))) return `only for sales in ${currency}`;
  return unit === null && isFixed.includes(true)
    ? `sales with a fixed commission earn nothing in currencies other than ${currency}`
    : undefined;
}

/**
 * Returns the terms with the rules that can apply. `hasOwn` is true if the policy's own terms apply. If a rule with a
 * rate covers everything, that rate replaces the policy's own terms, and `everything` is the rule.
 */
function asDeciding(terms: Terms): {
  readonly terms: Terms;
  readonly rules: readonly Rule[];
  readonly hasOwn: boolean;
  readonly everything?: Rule;
} {
  const rules = effectiveRules(terms);
  const everything = rules.find(coversEverything);
  if (everything?.rateBps === undefined) return { terms, rules, hasOwn: hasOwnTerms(terms) };
  const own = { ...terms, type: "percent", rateBps: everything.rateBps, tiers: null } as const;
  return { terms: own, rules: rules.slice(0, -1), hasOwn: true, everything };
}

function salesOf({ scope, durationMonths }: Pick<Terms, "scope" | "durationMonths">): string {
  if (scope === "one_time") return "a customer's first sale";
  if (scope === "lifetime" || durationMonths === null) return "each sale";
  const months = durationMonths === 1 ? "month" : countText(durationMonths, "month");
  return `each sale in the ${months} after a customer's first one`;
}

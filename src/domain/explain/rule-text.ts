import { coversEverything } from "../effective-rules.ts";
import type { Rule, RuleConditions } from "../rules.ts";
import { freeText, percentText, quoted } from "./text.ts";

const maxListedProducts = 5;

/** A product id. It is in quotes if it could be read as words of the sentence. */
const productText = (id: string): string => (/^[\p{L}\p{N}_.-]+$/u.test(id) ? freeText(id) : quoted(id));

function productsText(ids: readonly string[], conjunction: string): string {
  const listed = ids.slice(0, maxListedProducts).map(productText);
  const others = ids.length - listed.length;
  if (others > 0) listed.push(`${others} more ${others === 1 ? "product" : "products"}`);
  const last = listed.pop() ?? "";
  return listed.length === 0 ? last : `${listed.join(", ")} ${conjunction} ${last}`;
}

/** The sales that a rule applies to, such as "renewals". Undefined for all sales. */
function salesText({ isFirst, isRecurring, interval, coupon }: RuleConditions): string | undefined {
  const noun = isRecurring === true ? "renewals" : interval === undefined ? "sales" : "subscriptions";
  const others = isRecurring === false ? " other than renewals" : "";
  const came = coupon === undefined ? "" : coupon ? " with a coupon" : " without a coupon";
  const kind = `${interval === undefined ? "" : `${interval} `}${noun}${others}${came}`;
  if (isFirst === undefined) return kind === "sales" ? undefined : kind;
  const which = isFirst ? "a customer's first sale" : "later sales";
  return kind === "sales" ? which : `${which} (${kind} only)`;
}

const monthsText = ({ withinMonths: months }: RuleConditions): readonly string[] =>
  months === undefined ? [] : [`in the first ${months === 1 ? "month" : `${months} months`}`];

/** Describes what a rule covers, such as "on pro in renewals in the first 12 months". */
function placeText(when: RuleConditions): string {
  const products = when.productIds === undefined ? [] : [`on ${productsText(when.productIds, "and")}`];
  const sales = salesText(when);
  const inSales = sales === undefined ? [] : [`${products.length === 0 ? "on" : "in"} ${sales}`];
  return [...products, ...inSales, ...monthsText(when)].join(" ") || "on everything";
}

/** Names a rule by what it covers, for partners, who don't see its label: "On pro in renewals". */
export function ruleName(when: RuleConditions): string {
  const place = placeText(when);
  return `${place.charAt(0).toUpperCase()}${place.slice(1)}`;
}

/** Describes an amount per item, such as "€5.00 for each ebook in renewals". */
function eachText(amount: string, when: RuleConditions): string {
  const sales = salesText(when);
  const each = when.productIds === undefined ? "item" : productsText(when.productIds, "or");
  return [`${amount} for each ${each}`, ...(sales === undefined ? [] : [`in ${sales}`]), ...monthsText(when)].join(" ");
}

const shareText = ({ rateBps }: Rule): string => (rateBps === undefined ? "nothing" : percentText(rateBps));

function ruleText(rule: Rule, money: (cents: number) => string): string {
  const { when, amountCents } = rule;
  return amountCents === undefined ? `${shareText(rule)} ${placeText(when)}` : eachText(money(amountCents), when);
}

const differ = <T>(a: T | undefined, b: T | undefined): boolean => a !== undefined && b !== undefined && a !== b;

function mayBothCover({ when: a }: Rule, { when: b }: Rule): boolean {
  const isSameProduct = a.productIds === undefined || b.productIds?.some((id) => a.productIds?.includes(id)) !== false;
  const isOtherSale =
    differ(a.isFirst, b.isFirst) ||
    differ(a.isRecurring, b.isRecurring) ||
    differ(a.interval, b.interval) ||
    differ(a.coupon, b.coupon);
  return isSameProduct && !isOtherSale;
}

/** The name of a rule as it follows the rule's description. */
export const namedText = ({ label }: Rule): string => (label === undefined ? "" : ` (${freeText(label)})`);

interface Written {
  readonly money: (cents: number) => string;
  /** True to add the names of rules. Partners don't see them. */
  readonly withNames?: boolean;
}

/**
 * Describes rules, such as "10% on pro, else 50% in the first 12 months; nothing on gift". "else" shows that an earlier
 * rule may cover the same item.
 */
export function rulesText(rules: readonly Rule[], { money, withNames = false }: Written): string {
  return rules
    .map((rule, index) => {
      const name = withNames ? namedText(rule) : "";
      if (index === 0) return `${ruleText(rule, money)}${name}`;
      if (!rules.slice(0, index).some((earlier) => mayBothCover(earlier, rule)))
        return `; ${ruleText(rule, money)}${name}`;
      const isRest = coversEverything(rule) && rule.amountCents === undefined;
      return `, else ${isRest ? shareText(rule) : ruleText(rule, money)}${name}`;
    })
    .join("");
}

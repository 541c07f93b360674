import { noTerms } from "#domain/commission.ts";
import { writeDecimal } from "#domain/currency.ts";
import { hasOwnTerms, isOutsideScope } from "#domain/effective-rules.ts";
import type { Rule } from "#domain/rules.ts";
import { fieldError } from "../api/failure.ts";
import { filled, type Values } from "../components/form.tsx";
import { moneyDigits } from "../format.ts";
import { parseMoney, parsePercent, parseWhole } from "./parse-numbers.ts";
import { type Limit, limits, type Policy } from "./policy.ts";
import { describePolicy } from "./policy-text.tsx";
import { percentValue, readRules, withoutRates, writeRules } from "./rules/rule-values.ts";
import { readTiers, writeTiers } from "./tiers/tier-values.ts";

export function policyValues(policy: Policy | undefined, currency: string): Values {
  // Amounts in another currency aren't carried over: the same number would be a different amount.
  const money = (cents: number | null | undefined) =>
    cents == null || policy?.currency !== currency ? "" : writeDecimal(cents, moneyDigits(currency));
  const unit = policy?.unit;
  const reward = (cents: number | null | undefined) =>
    unit == null ? money(cents) : cents == null ? "" : writeDecimal(cents, moneyDigits(unit));
  return {
    type: policy?.type ?? "percent",
    rateBps: policy?.rateBps == null ? "20" : percentValue(policy.rateBps),
    amountCents: reward(policy?.amountCents),
    unit: unit ?? "",
    scope: policy?.scope ?? "lifetime",
    durationMonths: String(policy?.durationMonths ?? 12),
    holdDays: String(policy?.holdDays ?? 15),
    ...Object.fromEntries(limits.map(({ name }) => [name, money(policy?.[name])])),
    rules: writeRules(policy?.rules ?? [], reward),
    tiers: writeTiers(policy?.tiers, money, reward),
  };
}

/** The code of the policy's unit. Undefined if the policy pays money. */
export const unitOf = ({ type, unit }: Values): string | undefined => (type === "flat" ? filled(unit) : undefined);

/** A policy in a unit can't have a maximum. */
export const limitsOf = (unit: string | undefined): readonly Limit[] =>
  limits.filter(({ name }) => unit === undefined || name === "minSaleCents");

/** The rules as JSON, without percentages if the policy counts a unit. */
export const rulesOf = (values: Values): string => {
  const { rules = "" } = values;
  return unitOf(values) === undefined ? rules : withoutRates(rules);
};

/** Reads the form's values as a policy. Throws an error on the first invalid field. */
export function readPolicy(values: Values, currency: string) {
  const { type, scope, rateBps = "", amountCents = "", durationMonths = "", holdDays = "", tiers = "" } = values;
  const given = ({ name }: Limit) => {
    const text = filled(values[name]);
    return text === undefined ? [] : [[name, parseMoney(text, currency, name)] as const];
  };
  const unit = unitOf(values);
  const amount =
    type === "flat"
      ? {
          type: "flat" as const,
          amountCents: parseMoney(amountCents, unit ?? currency, "amountCents"),
          ...(unit !== undefined && { unit }),
        }
      : { type: "percent" as const, rateBps: parsePercent(rateBps, "rateBps") };
  const reach =
    scope === "recurring"
      ? { scope: "recurring" as const, durationMonths: parseWhole(durationMonths, "durationMonths") }
      : { scope: scope === "one_time" ? ("one_time" as const) : ("lifetime" as const) };
  return {
    ...amount,
    ...reach,
    holdDays: parseWhole(holdDays, "holdDays"),
    ...(Object.fromEntries(limitsOf(unit).flatMap(given)) as Partial<Record<Limit["name"], number>>),
    rules: readRules(rulesOf(values), unit ?? currency),
    ...(tiers !== "" && {
      tiers: readTiers(tiers, type === "flat", { currency, reward: unit ?? currency }),
    }),
  };
}

/** Says why a rule outside the policy's scope never applies. Undefined for any other rule. */
export const outsideScopeText = (scope: Policy["scope"], rule: Rule, index: number): string | undefined =>
  isOutsideScope(scope, rule)
    ? `Rule ${index + 1} never applies, because the commission is only for a customer's first sale.`
    : undefined;

/** Says why the policy's tiers never apply. Undefined if they can, or if there are none. */
export const unusedTiersText = (
  policy: Parameters<typeof hasOwnTerms>[0] & { readonly tiers?: unknown },
): string | undefined =>
  policy.tiers && !hasOwnTerms(policy) ? "The tiers never apply, because the rules cover all sales." : undefined;

/** Throws an error on the field `scope` if a rule covers only sales that the scope excludes. */
export function refuseRulesOutsideScope({ scope, rules }: ReturnType<typeof readPolicy>): void {
  const texts = rules.map((rule, index) => outsideScopeText(scope, rule, index));
  const text = texts.find((each) => each !== undefined);
  if (text !== undefined) throw fieldError("scope", text);
}

/** Describes the form's values in words. Throws an error on the first invalid field. */
export function describeValues(values: Values, currency: string): string {
  return describePolicy({ ...noTerms, ...readPolicy(values, currency), currency });
}

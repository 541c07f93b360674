import { noTerms } from "#domain/commission.ts";
import { currencyExponent, writeDecimal } from "#domain/currency.ts";
import { filled, type Values } from "../components/form.tsx";
import { parseMoney, parsePercent, parseWhole } from "./parse-numbers.ts";
import { describePolicy, type Limit, limits, type Policy } from "./policy.ts";
import { percentValue, readRules, writeRules } from "./rules/rule-values.ts";
import { readTiers, writeTiers } from "./tiers/tier-values.ts";

export function policyValues(policy: Policy | undefined, currency: string): Values {
  // Amounts in another currency aren't carried over: the same number would be a different amount.
  const money = (cents: number | null | undefined) =>
    cents == null || policy?.currency !== currency ? "" : writeDecimal(cents, currencyExponent(currency) ?? 2);
  return {
    type: policy?.type ?? "percent",
    rateBps: policy?.rateBps == null ? "20" : percentValue(policy.rateBps),
    amountCents: money(policy?.amountCents),
    scope: policy?.scope ?? "lifetime",
    durationMonths: String(policy?.durationMonths ?? 12),
    holdDays: String(policy?.holdDays ?? 15),
    ...Object.fromEntries(limits.map(({ name }) => [name, money(policy?.[name])])),
    rules: writeRules(policy?.rules ?? [], money),
    tiers: writeTiers(policy?.tiers, money),
  };
}

/** Reads the form's values as a policy. Throws an error on the first invalid field. */
export function readPolicy(values: Values, currency: string) {
  const {
    type,
    scope,
    rateBps = "",
    amountCents = "",
    durationMonths = "",
    holdDays = "",
    rules = "",
    tiers = "",
  } = values;
  const given = ({ name }: Limit) => {
    const text = filled(values[name]);
    return text === undefined ? [] : [[name, parseMoney(text, currency, name)] as const];
  };
  const amount =
    type === "flat"
      ? { type: "flat" as const, amountCents: parseMoney(amountCents, currency, "amountCents") }
      : { type: "percent" as const, rateBps: parsePercent(rateBps, "rateBps") };
  const reach =
    scope === "recurring"
      ? { scope: "recurring" as const, durationMonths: parseWhole(durationMonths, "durationMonths") }
      : { scope: scope === "one_time" ? ("one_time" as const) : ("lifetime" as const) };
  return {
    ...amount,
    ...reach,
    holdDays: parseWhole(holdDays, "holdDays"),
    ...(Object.fromEntries(limits.flatMap(given)) as Partial<Record<Limit["name"], number>>),
    rules: readRules(rules, currency),
    ...(tiers !== "" && { tiers: readTiers(tiers, type === "flat", currency) }),
  };
}

/** Describes the form's values in words. Throws an error on the first invalid field. */
export function describeValues(values: Values, currency: string): string {
  return describePolicy({ ...noTerms, ...readPolicy(values, currency), currency });
}

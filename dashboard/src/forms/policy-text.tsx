import type { JSX } from "preact";
import { describeCommission } from "#domain/explain/commission-text.ts";
import { rulesText } from "#domain/explain/rule-text.ts";
import { tiersText } from "#domain/explain/tiers-text.ts";
import type { Rule } from "#domain/rules.ts";
import type { Tiers } from "#domain/tiers.ts";
import { formatMoney, pluralize } from "../format.ts";
import type { Policy } from "./policy.ts";

type PolicyTerms = Omit<Policy, "version" | "partnerId" | "effectiveFrom">;

/** `code` is a currency or unit. Without one, amounts are numbers. */
const formatIn =
  (code: string | null) =>
  (cents: number): string =>
    code === null ? String(cents) : formatMoney(cents, code);

/** `currency` is the currency or unit of the rules' amounts. */
export const describeRules = (rules: readonly Rule[], currency: string | null): string =>
  rulesText(rules, { money: formatIn(currency), withNames: true });

/** `reward` is the currency or unit of the commission. */
export const describeTiers = (tiers: Tiers, currency: string | null, reward: string | null): string =>
  tiersText(tiers, { money: formatIn(currency), reward: formatIn(reward) });

/** Describes a policy as partners see it, with the names of its rules and the hold period. */
export function describePolicy(policy: PolicyTerms): string {
  if (policy.type === "none") return "None";
  const { currency, unit, holdDays } = policy;
  const formats = { money: formatIn(currency), reward: formatIn(unit ?? currency), withNames: true };
  const commission = describeCommission(policy, formats) ?? "Nothing on any sale";
  const hold = holdDays === 0 ? "not held" : `held for ${pluralize(holdDays, "day")}`;
  return `${commission}${/[,;]/.test(commission) ? ";" : ","} ${hold}`;
}

export const PolicyText = ({ policy }: { readonly policy: PolicyTerms }): JSX.Element => <>{describePolicy(policy)}</>;

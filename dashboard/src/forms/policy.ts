import { coversEverything, effectiveRules } from "#domain/effective-rules.ts";
import { rulesText } from "#domain/explain/rule-text.ts";
import { tiersText } from "#domain/explain/tiers-text.ts";
import type { Rule } from "#domain/rules.ts";
import type { Tiers } from "#domain/tiers.ts";
import { api, take } from "../api/client.ts";
import { useProgramQuery } from "../api/use-program-query.ts";
import { formatMoney, pluralize } from "../format.ts";

interface PolicyQuery {
  readonly partnerId?: string;
  readonly limit?: string;
  readonly cursor?: string | undefined;
}

/** A page of policy versions, newest first, and the program's latest version. */
export const usePolicies = (query: PolicyQuery) =>
  useProgramQuery("policies", query, (call, init) =>
    take(api.programs[":programId"]["commission-policy"].$get(call, init)),
  );

type Policies = NonNullable<ReturnType<typeof usePolicies>["data"]>;
export type PolicyVersion = Policies["data"][number];
export type Policy = NonNullable<Policies["meta"]["current"]>;

export interface Limit {
  readonly name: "minSaleCents" | "maxCommissionCents";
  readonly label: string;
  /** Describes the limit. Default: the label and the amount. */
  readonly describe?: (amount: string) => string;
}

/** The optional limits of a policy. */
export const limits: readonly Limit[] = [
  { name: "minSaleCents", label: "Minimum sale" },
  { name: "maxCommissionCents", label: "Maximum per sale", describe: (amount) => `at most ${amount} per sale` },
];

/** The latest policy; undefined if there is none, or if it was ended. */
export const inForce = (latest: Policy | null | undefined): Policy | undefined =>
  latest == null || latest.type === "none" ? undefined : latest;

const inMonths = (months: number): string => (months === 1 ? "month" : `${months} months`);

type PolicyTerms = Omit<Policy, "version" | "partnerId" | "effectiveFrom">;

/** `currency` is the currency or unit of the rules' amounts. */
export const describeRules = (rules: readonly Rule[], currency: string | null): string =>
  rulesText(rules, {
    money: (cents) => (currency === null ? String(cents) : formatMoney(cents, currency)),
    withNames: true,
  });

/** `reward` is the currency or unit of the commission. */
export function describeTiers(tiers: Tiers, currency: string | null, reward = currency): string {
  const formatIn = (code: string | null) => (cents: number) =>
    code === null ? String(cents) : formatMoney(cents, code);
  return tiersText(tiers, { money: formatIn(currency), reward: formatIn(reward) });
}

export function describePolicy(policy: PolicyTerms): string {
  if (policy.type === "none") return "None";
  const { currency, unit } = policy;
  const reward = unit ?? currency;
  const rules = effectiveRules(policy);
  const money = (cents: number | null, code = currency) =>
    cents === null || code === null ? undefined : formatMoney(cents, code);
  const isFlat = policy.type === "flat";
  const amount = isFlat ? money(policy.amountCents, reward) : `${(policy.rateBps ?? 0) / 100}%`;
  const reach = {
    lifetime: "every sale",
    recurring: `sales in the first ${inMonths(policy.durationMonths ?? 0)}`,
    one_time: "a customer's first sale",
  }[policy.scope];
  // The scope limits the rules too, so it is stated at the end, not as part of the policy's own terms.
  const isReachLast = rules.length > 0 && policy.scope !== "lifetime";
  const covered = isReachLast ? "each sale" : reach;
  const share = `${amount} ${isFlat ? "for" : "of"} ${covered}`;
  const own = policy.tiers ? `${share}, ${describeTiers(policy.tiers, currency, reward)}` : share;
  // A rule without conditions covers every sale that reaches it, so no sale is left for the policy's own terms.
  const hasOwn = !rules.some(coversEverything);
  return [
    describeRules(rules, reward),
    hasOwn && (rules[0] ? `otherwise ${own}` : own),
    isReachLast && `only for ${reach}`,
    ...limits.map(({ name, label, describe = (limit) => `${label.toLowerCase()} ${limit}` }) => {
      const limit = money(policy[name]);
      return limit && describe(limit);
    }),
    policy.holdDays === 0 ? "not held" : `held for ${pluralize(policy.holdDays, "day")}`,
  ]
    .filter(Boolean)
    .join(rules.length === 0 ? ", " : "; ");
}

import { noTerms, type VoidReason } from "#domain/commission.ts";
import { currencyExponent, writeDecimal } from "#domain/currency.ts";
import { api, take } from "../api/client.ts";
import { useProgramQuery } from "../api/use-program-query.ts";
import { filled, type Values } from "../components/form.tsx";
import { formatMoney, pluralize } from "../format.ts";
import { parseMoney, parsePercent, parseWhole } from "./parse-numbers.ts";

interface PolicyQuery {
  readonly partnerId?: string;
  readonly limit?: string;
  readonly cursor?: string | undefined;
}

/** A page of versions, newest first, with the program's latest. */
export const usePolicies = (query: PolicyQuery) =>
  useProgramQuery("policies", query, (call, init) =>
    take(api.programs[":programId"]["commission-policy"].$get(call, init)),
  );

type Policies = NonNullable<ReturnType<typeof usePolicies>["data"]>;
export type PolicyVersion = Policies["data"][number];
export type Policy = NonNullable<Policies["meta"]["current"]>;

interface Limit {
  readonly name: "minSaleCents" | "maxCommissionCents";
  readonly label: string;
  readonly hint: string;
  /** Default: the label and the amount. */
  readonly describe?: (amount: string) => string;
  /** Why a sale earns nothing, and where it is from the limit. */
  readonly refuses?: readonly [VoidReason, "below" | "above"];
}

/** The amounts that a policy may leave out. */
export const limits: readonly Limit[] = [
  {
    name: "minSaleCents",
    label: "Minimum sale",
    hint: "Smaller sales earn nothing.",
    refuses: ["below_minimum", "below"],
  },
  {
    name: "maxCommissionCents",
    label: "Maximum per sale",
    hint: "The most a single sale can earn.",
    describe: (amount) => `at most ${amount} per sale`,
  },
];

/** Undefined if there is no policy, or if it was ended. */
export const inForce = (latest: Policy | null | undefined): Policy | undefined =>
  latest == null || latest.type === "none" ? undefined : latest;

export function policyValues(policy: Policy | undefined, currency: string): Values {
  // Amounts in another currency aren't carried over: the same number would be a different amount.
  const money = (cents: number | null | undefined) =>
    cents == null || policy?.currency !== currency ? "" : writeDecimal(cents, currencyExponent(currency) ?? 2);
  return {
    type: policy?.type ?? "percent",
    rateBps: policy?.rateBps == null ? "20" : writeDecimal(policy.rateBps, 2).replace(/\.?0+$/, ""),
    amountCents: money(policy?.amountCents),
    scope: policy?.scope ?? "lifetime",
    durationMonths: String(policy?.durationMonths ?? 12),
    holdDays: String(policy?.holdDays ?? 15),
    ...Object.fromEntries(limits.map(({ name }) => [name, money(policy?.[name])])),
  };
}

/** Throws an error on the first invalid field. */
export function readPolicy(values: Values, currency: string) {
  const { type, scope, rateBps = "", amountCents = "", durationMonths = "", holdDays = "" } = values;
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
  };
}

const inMonths = (months: number): string => (months === 1 ? "month" : `${months} months`);

type PolicyTerms = Omit<Policy, "version" | "partnerId" | "effectiveFrom">;

/** Throws an error on the first invalid field. */
export function describeValues(values: Values, currency: string): string {
  return describePolicy({ ...noTerms, ...readPolicy(values, currency), currency });
}

export function describePolicy(policy: PolicyTerms): string {
  if (policy.type === "none") return "None";
  const { currency } = policy;
  const money = (cents: number | null) =>
    cents === null || currency === null ? undefined : formatMoney(cents, currency);
  const amount = policy.type === "flat" ? money(policy.amountCents) : `${(policy.rateBps ?? 0) / 100}%`;
  const reach = {
    lifetime: "every sale",
    recurring: `sales in the first ${inMonths(policy.durationMonths ?? 0)}`,
    one_time: "a customer's first sale",
  }[policy.scope];
  return [
    `${amount} ${policy.type === "flat" ? "for" : "of"} ${reach}`,
    ...limits.map(({ name, label, describe = (limit) => `${label.toLowerCase()} ${limit}` }) => {
      const limit = money(policy[name]);
      return limit && describe(limit);
    }),
    policy.holdDays === 0 ? "not held" : `held for ${pluralize(policy.holdDays, "day")}`,
  ]
    .filter(Boolean)
    .join(", ");
}

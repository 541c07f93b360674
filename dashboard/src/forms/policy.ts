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
    minSaleCents: money(policy?.minSaleCents),
    maxCommissionCents: money(policy?.maxCommissionCents),
  };
}

/** Throws an error on the first invalid field. */
export function readPolicy(values: Values, currency: string) {
  const { type, scope, rateBps = "", amountCents = "", durationMonths = "", holdDays = "" } = values;
  const limit = (name: string) => {
    const text = filled(values[name]);
    return text === undefined ? undefined : parseMoney(text, currency, name);
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
    minSaleCents: limit("minSaleCents"),
    maxCommissionCents: limit("maxCommissionCents"),
  };
}

const inMonths = (months: number): string => (months === 1 ? "month" : `${months} months`);

type PolicyTerms = Omit<Policy, "version" | "partnerId" | "effectiveFrom">;

/** Throws an error on the first invalid field. */
export function describeValues(values: Values, currency: string): string {
  const { minSaleCents = null, maxCommissionCents = null, ...terms } = readPolicy(values, currency);
  const absent = { rateBps: null, amountCents: null, durationMonths: null };
  return describePolicy({ ...absent, ...terms, currency, minSaleCents, maxCommissionCents });
}

export function describePolicy(policy: PolicyTerms): string {
  if (policy.type === "none") return "None";
  const { currency } = policy;
  const money = (cents: number | null) =>
    cents === null || currency === null ? undefined : formatMoney(cents, currency);
  const amount = policy.type === "flat" ? money(policy.amountCents) : `${(policy.rateBps ?? 0) / 100}%`;
  const reach = {
    lifetime: policy.type === "flat" ? "for every sale" : "of every sale",
    recurring: `${policy.type === "flat" ? "for" : "of"} sales in the first ${inMonths(policy.durationMonths ?? 0)}`,
    one_time: `${policy.type === "flat" ? "for" : "of"} a customer's first sale`,
  }[policy.scope];
  const least = money(policy.minSaleCents);
  const most = money(policy.maxCommissionCents);
  return [
    `${amount} ${reach}`,
    least && `minimum sale ${least}`,
    most && `at most ${most} per sale`,
    policy.holdDays === 0 ? "not held" : `held for ${pluralize(policy.holdDays, "day")}`,
  ]
    .filter(Boolean)
    .join(", ");
}

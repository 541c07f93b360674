import type { JSX } from "preact";
import { dayIn } from "#domain/calendar.ts";
import { type Earning, noTerms, type Policy } from "#domain/commission.ts";
import { ownConditions } from "#domain/effective-rules.ts";
import type { Rule } from "#domain/rules.ts";
import type { TierStep } from "#domain/tiers.ts";
import { Failure } from "../api/failure.ts";
import type { Values } from "../components/form.tsx";
import { formatDate, formatMoney, moneyDigits, pluralize } from "../format.ts";
import { knownUnits } from "../known-units.ts";
import { useProgram } from "../session.tsx";
import { outsideScopeText, readPolicy, unusedTiersText } from "./policy-values.ts";
import { type Sample, sampleOf, sampleText } from "./rules/samples.ts";

/** Shows what sample sales earn under the entered policy, calculated with the service's own rules. */
export function PolicyExample({ values }: { readonly values: Values }): JSX.Element {
  const { program } = useProgram();
  const lines = exampleOf(values, { ...program, now: Date.now() });
  return (
    <output class="notice plain example">
      {lines.map((line, index) => (
        <span key={index}>{line}</span>
      ))}
    </output>
  );
}

interface Shown {
  readonly currency: string;
  readonly timezone: string;
  /** The current time in milliseconds. */
  readonly now: number;
}

const unknown = ["Fill in the fields to see an example."];

function exampleOf(values: Values, shown: Shown): readonly string[] {
  const policy = readIfGood(values, shown.currency);
  if (policy === undefined) return unknown;
  return policy.rules?.length ? ruledExample(policy, shown) : plainExample(policy, shown);
}

const sampleCents = (currency: string): number => 100 * 10 ** moneyDigits(currency);

function plainExample(policy: Policy, { currency, timezone, now }: Shown): readonly string[] {
  const amountCents = sampleCents(currency);
  const earning = sampleOf(policy, undefined, { amountCents, currency, now })?.earning;
  if (earning === undefined) return unknown;
  const sale = `A sale of ${formatMoney(amountCents, currency)}`;
  if (!earning.due) return [`${sale} ${earns(earning, policy, currency)}.`];
  const held = policy.holdDays === 0 ? "approved immediately" : `held until ${heldUntil(earning, timezone)}`;
  return [
    `${sale} today ${earns(earning, policy, currency)}, ${held}. ${later(policy)}`,
    ...tiersExample(policy, { amountCents, currency, now }),
  ];
}

/** Returns one line for each step of the tiers. */
function tiersExample(policy: Policy, asked: Parameters<typeof sampleOf>[2]): readonly string[] {
  const unused = unusedTiersText(policy);
  if (unused !== undefined) return [unused];
  const { metric, period, steps } = policy.tiers ?? { steps: [] };
  return steps.map((step) => {
    const earning = sampleOf({ ...policy, ...ownOf(step) }, undefined, asked)?.earning;
    const earned = earning === undefined ? "earns nothing" : earns(earning, policy, asked.currency);
    const amount = formatMoney(asked.amountCents, asked.currency);
    return metric === "sales"
      ? `From a partner's sale number ${step.threshold} in a ${period}, a sale of ${amount} ${earned}.`
      : `Once a partner's sales in a ${period} reach ${formatMoney(step.threshold, asked.currency)}, a sale of ${amount} ${earned}.`;
  });
}

const ownOf = (step: TierStep) => ({ rateBps: step.rateBps ?? null, amountCents: step.amountCents ?? null });

/** A line for each rule, and one for sales that no rule covers. */
function ruledExample(policy: Policy, { currency, timezone, now }: Shown): readonly string[] {
  const amountCents = sampleCents(currency);
  const amount = formatMoney(amountCents, currency);
  const rules = policy.rules ?? [];
  const sampled = [...rules.keys(), undefined].map((rule) => sampleOf(policy, rule, { amountCents, currency, now }));
  const lines = sampled.map((sample, index) => {
    const rule = rules[index];
    if (sample === undefined) return rule && neverAppliesText(policy.scope, rule, index);
    const when = rule && ownConditions(rule.when, policy);
    const isAnyOther = when === undefined || Object.keys(when).length === 0;
    const sale = isAnyOther
      ? `${index === 0 ? "A" : "Any other"} sale of ${amount}`
      : sampleText(when, sample.sale, amount);
    return `${sale} ${earns(sample.earning, policy, currency)}.`;
  });
  const steps = tiersExample(policy, { amountCents, currency, now });
  const all = [...lines, ...steps, heldText(policy, sampled, timezone), ending(policy)];
  return all.filter((line) => line !== undefined);
}

const neverAppliesText = (scope: Policy["scope"], rule: Rule, index: number): string =>
  outsideScopeText(scope, rule, index) ?? `Rule ${index + 1} never applies. Move it up, or change its conditions.`;

function heldText(
  { holdDays }: Policy,
  sampled: readonly (Sample | undefined)[],
  timezone: string,
): string | undefined {
  if (holdDays === 0) return "Commissions are approved immediately.";
  const due = sampled.map((sample) => sample?.earning).find((earning) => earning?.due === true);
  return due && `Today's commissions are held until ${heldUntil(due, timezone)}.`;
}

function earns(earning: Earning, policy: Policy, currency: string): string {
  const money = (cents: number) => formatMoney(cents, currency);
  if (earning.due && policy.unit !== null) return `earns ${formatMoney(earning.amountCents, policy.unit.code)}`;
  if (earning.due) {
    return `earns ${money(earning.amountCents)}${earning.capped ? ` (${money(earning.uncappedCents)} before the cap)` : ""}`;
  }
  if (earning.reason !== "below_minimum") return "earns nothing";
  return `earns nothing: it's below the minimum sale of ${money(policy.minSaleCents ?? 0)}`;
}

const heldUntil = ({ holdUntil }: Extract<Earning, { readonly due: true }>, timezone: string): string =>
  formatDate(dayIn(timezone, holdUntil));

function later({ scope, durationMonths }: Policy): string {
  if (scope === "one_time") return "Later sales to the same customer earn nothing.";
  const within = scope === "recurring" ? ` within ${pluralize(durationMonths ?? 0, "month")}` : "";
  return `Every later sale to the same customer${within} earns the same way.`;
}

function ending({ scope, durationMonths }: Policy): string | undefined {
  if (scope === "lifetime") return undefined;
  const after = scope === "one_time" ? "their first" : `${pluralize(durationMonths ?? 0, "month")}`;
  return `After ${after}, a customer's sales earn nothing.`;
}

function readIfGood(values: Values, currency: string): Policy | undefined {
  try {
    const { unit, ...terms } = { unit: undefined, ...readPolicy(values, currency) };
    const read = { ...noTerms, ...terms, unit: knownUnits().get(unit ?? "") ?? null };
    return { ...read, currency, id: 0, version: 0, partnerId: null, effectiveFrom: 0 };
  } catch (error) {
    if (error instanceof Failure) return undefined;
    throw error;
  }
}

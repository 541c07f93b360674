import { maxTierSales, minTierSales, type TierMetric, type TierPeriod, type Tiers } from "#domain/tiers.ts";
import { fieldError } from "../../api/failure.ts";
import { parseMoney, parsePercent, parseWhole } from "../parse-numbers.ts";
import { percentValue } from "../rules/rule-values.ts";

/** A step as the user types it. */
export interface StepValues {
  readonly threshold: string;
  /** A percentage, or an amount if the policy pays a fixed amount. */
  readonly earns: string;
}

export interface TierValues {
  readonly metric: TierMetric;
  readonly period: TierPeriod;
  readonly steps: readonly StepValues[];
}

export const newTiers: TierValues = { metric: "sales", period: "month", steps: [{ threshold: "11", earns: "" }] };

export const parseTiers = (json: string): TierValues | undefined =>
  json === "" ? undefined : (JSON.parse(json) as TierValues);

type Write = (cents: number | undefined) => string;

/** Converts tiers to the form that the user edits. `reward` formats the amounts of steps. */
export function writeTiers(tiers: Tiers | null | undefined, money: Write, reward: Write): string {
  if (tiers == null) return "";
  const { metric, period, steps } = tiers;
  const values = steps.map(({ threshold, rateBps, amountCents }) => ({
    threshold: metric === "sales" ? String(threshold) : money(threshold),
    earns: rateBps === undefined ? reward(amountCents) : percentValue(rateBps),
  }));
  return JSON.stringify({ metric, period, steps: values } satisfies TierValues);
}

type Steps = { threshold: number; rateBps?: number; amountCents?: number }[];

interface Codes {
  readonly currency: string;
  /** The currency or unit of the steps' amounts. */
  readonly reward: string;
}

/** Parses the tiers that the user typed. Throws an error for the first invalid field. */
export function readTiers(json: string, isFlat: boolean, { currency, reward }: Codes) {
  const { metric, period, ...values } = JSON.parse(json) as TierValues;
  let last = 0;
  const steps = values.steps.map(({ threshold: text, earns }, index) => {
    const name = `tiers.${index}`;
    const threshold = thresholdOf(metric, text, { name: `${name}.threshold`, currency });
    if (threshold <= last) throw fieldError(`${name}.threshold`, "Enter more than in the previous tier.");
    last = threshold;
    return isFlat
      ? { threshold, amountCents: parseMoney(earns, reward, `${name}.earns`) }
      : { threshold, rateBps: parsePercent(earns, `${name}.earns`) };
  });
  return { metric, period, steps: steps as Steps };
}

function thresholdOf(metric: TierMetric, text: string, { name, currency }: { name: string; currency: string }): number {
  if (metric === "revenue") return parseMoney(text, currency, name);
  const threshold = parseWhole(text, name);
  if (threshold < minTierSales || threshold > maxTierSales)
    throw fieldError(name, `Enter a number from ${minTierSales} to ${maxTierSales}.`);
  return threshold;
}

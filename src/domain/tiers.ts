import type { PolicyId } from "./ids.ts";
import type { StepHistory } from "./step-history.ts";

/** The step depends on a count: the number of a partner's sales in a period, or their sum in the program's currency. */
export const tierMetrics = ["sales", "revenue"] as const;
export type TierMetric = (typeof tierMetrics)[number];

export const tierPeriods = ["month", "quarter", "year"] as const;
export type TierPeriod = (typeof tierPeriods)[number];

export const maxTierSteps = 10;
/**
 * With a threshold of 11, the 11th sale is the first that earns the step. A threshold of 1 would replace the policy's
 * own rate.
 */
export const minTierSales = 2;
export const maxTierSales = 1_000_000;

/** A step has a rate or an amount, depending on the policy's type. */
export interface TierStep {
  readonly threshold: number;
  readonly rateBps?: number | undefined;
  readonly amountCents?: number | undefined;
}

export interface Tiers {
  readonly metric: TierMetric;
  readonly period: TierPeriod;
  /** At most `maxTierSteps`, in ascending order of threshold. */
  readonly steps: readonly TierStep[];
}

/** A step that the Ledger has written for a partner, a policy version and a period. It never changes. */
export interface ReachedStep {
  readonly policyId: PolicyId;
  readonly isTest: boolean;
  readonly period: string;
  /** The program's currency, if the metric is revenue. Otherwise null. */
  readonly currency: string | null;
  /** 0 if the count fell below all thresholds. */
  readonly threshold: number;
  readonly count: number;
  /** When the step was written (ms). */
  readonly at: number;
}

/** The step that decided a sale. */
export interface AppliedStep extends Pick<ReachedStep, "period" | "count" | "at">, TierStep {
  readonly metric: TierMetric;
  /** Set if the metric is revenue. */
  readonly currency?: string;
}

const monthsPerQuarter = 3;

/** The period of a day ("YYYY-MM-DD"): "2026-11", "2026-Q4" or "2026". */
export function periodOfDay(period: TierPeriod, day: string): string {
  const [year = "", month = ""] = day.split("-");
  if (period === "year") return year;
  return period === "month" ? `${year}-${month}` : `${year}-Q${Math.ceil(Number(month) / monthsPerQuarter)}`;
}

/** The first and the last month ("YYYY-MM") of a period. */
export function monthsOfPeriod(period: string): readonly [first: string, last: string] {
  const [year = "", part] = period.split("-");
  if (part === undefined) return [`${year}-01`, `${year}-12`];
  if (!part.startsWith("Q")) return [period, period];
  const last = Number(part.slice(1)) * monthsPerQuarter;
  const month = (number: number) => `${year}-${String(number).padStart(2, "0")}`;
  return [month(last - monthsPerQuarter + 1), month(last)];
}

/**
 * The count at which a step applies to the next sale. By number of sales, the step already applies to the sale that
 * brings the count to the threshold.
 */
const countNeeded = (metric: TierMetric, threshold: number): number => (metric === "sales" ? threshold - 1 : threshold);

/** The highest step that the count has reached. Undefined if it has reached none. */
export const stepAt = ({ metric, steps }: Tiers, count: number): TierStep | undefined =>
  steps.findLast(({ threshold }) => count >= countNeeded(metric, threshold));

export interface NextStep {
  /** The number of sales, or the revenue in cents, until the step applies. */
  readonly remaining: number;
  readonly metric: TierMetric;
  /** In hundredths of a percent. If the policy pays a fixed amount: that amount, in the smallest unit. */
  readonly rate: number;
}

/** The next step above the count. Null if the count has reached the highest. */
export function nextStep({ metric, steps }: Tiers, count: number): NextStep | null {
  const next = steps.find(({ threshold }) => count < countNeeded(metric, threshold));
  if (next === undefined) return null;
  return {
    remaining: countNeeded(metric, next.threshold) - count,
    metric,
    rate: next.rateBps ?? next.amountCents ?? 0,
  };
}

/** The number and sum of a partner's sales of one month that count toward tiers. */
export interface TierCount {
  /** "YYYY-MM". */
  readonly month: string;
  readonly currency: string;
  readonly sales: number;
  readonly revenueCents: number;
}

interface Today {
  readonly today: string;
  /** The program's currency. */
  readonly currency: string;
}

/** The partner's count in a period, on which the steps depend. `currency` is the program's currency. */
export function countOfPeriod(
  { metric }: Pick<Tiers, "metric">,
  counts: readonly TierCount[],
  { period, currency }: { readonly period: string; readonly currency: string },
): number {
  const [first, last] = monthsOfPeriod(period);
  const counted = counts.filter(({ month }) => month >= first && month <= last);
  return metric === "sales"
    ? counted.reduce((sum, { sales }) => sum + sales, 0)
    : counted.reduce((sum, each) => sum + (each.currency === currency ? each.revenueCents : 0), 0);
}

/** The next step of the current period. Null without tiers, or if the partner has reached the highest step. */
export function nextOfPeriod(
  tiers: Tiers | null | undefined,
  counts: readonly TierCount[],
  { today, currency }: Today,
): NextStep | null {
  if (tiers == null) return null;
  return nextStep(tiers, countOfPeriod(tiers, counts, { period: periodOfDay(tiers.period, today), currency }));
}

/** The step that applies to the partner's next sale. Undefined without tiers, or if they have reached none. */
export const stepOfPeriod = (
  tiers: Tiers | null | undefined,
  counts: readonly TierCount[],
  { today, currency }: Today,
): TierStep | undefined =>
  tiers == null
    ? undefined
    : stepAt(tiers, countOfPeriod(tiers, counts, { period: periodOfDay(tiers.period, today), currency }));

/** The sale that a step may decide. */
export interface SteppedSale {
  readonly isTest: boolean;
  /** The day on which the sale counts. */
  readonly day: string;
}

interface SteppedPolicy {
  readonly id: PolicyId;
  readonly tiers: Tiers | null;
}

/**
 * The step that decides a sale: the newest step of the sale's period under this policy version. `reached` is sorted
 * newest first.
 */
export function stepOfSale(
  { id, tiers }: SteppedPolicy,
  { isTest, day }: SteppedSale,
  reached: readonly ReachedStep[],
): AppliedStep | undefined {
  if (tiers === null) return undefined;
  const period = periodOfDay(tiers.period, day);
  const found = reached.find((step) => step.policyId === id && step.isTest === isTest && step.period === period);
  const step = found && tiers.steps.find(({ threshold }) => threshold === found.threshold);
  if (found === undefined || step === undefined) return undefined;
  const { currency, count, at } = found;
  return { metric: tiers.metric, period, ...step, count, at, ...(currency !== null && { currency }) };
}

/** A time zone's day begins less than this before or after the same day in UTC (ms). */
const timezoneMs = 86_400_000;

const daysAround = (at: number): readonly string[] =>
  [at - timezoneMs, at, at + timezoneMs].map((instant) => new Date(instant).toISOString().slice(0, 10));

/** The periods to which a sale at this instant may belong, depending on the time zone. */
export const periodsAround = (at: number): readonly string[] => [
  ...new Set(daysAround(at).flatMap((day) => tierPeriods.map((period) => periodOfDay(period, day)))),
];

/**
 * True if the cached steps contain the newest step of each period around `at` (ms). A step is never written before its
 * period begins, so no newer one is missing if the cache has a step from before all these periods.
 */
export function areStepsKept({ newest, isWhole }: StepHistory, at: number, longest: TierPeriod): boolean {
  if (isWhole) return true;
  const [day = ""] = daysAround(at);
  const [first] = monthsOfPeriod(periodOfDay(longest, day));
  const begins = Date.parse(`${first}-01T00:00:00Z`) - timezoneMs;
  return newest.some((step) => step.at < begins);
}

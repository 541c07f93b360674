import { addDays, dayMs } from "./calendar.ts";
import { divideHalfUp } from "./money.ts";

/** Days as "YYYY-MM-DD", both included. */
export interface Days {
  readonly from: string;
  readonly to: string;
}

// Days have no time zone here. They are counted in UTC, where every day has 24 hours.
const startOf = (day: string): number => Date.parse(`${day}T00:00:00Z`);

export const countDays = ({ from, to }: Days): number => Math.round((startOf(to) - startOf(from)) / dayMs) + 1;

export const listDays = (days: Days): string[] =>
  Array.from({ length: countDays(days) }, (_, i) => addDays(days.from, i));

export const daysEnding = (day: string, count: number): Days => ({ from: addDays(day, 1 - count), to: day });

export const daysBefore = (days: Days): Days => daysEnding(addDays(days.from, -1), countDays(days));

/** Instants (ms, both included) that contain the days in every time zone. */
export const spanAround = ({ from, to }: Days): { readonly since: number; readonly until: number } => ({
  since: startOf(from) - dayMs,
  until: startOf(to) + 2 * dayMs,
});

export interface Trend {
  readonly trend: number;
  readonly trendDirection: "up" | "down" | "stable";
}

export const noTrend: Trend = { trend: 0, trendDirection: "stable" };

/** The change in percent. If `before` is 0 or less, any change counts as 100 percent. */
export function trendOf(now: bigint, before: bigint): Trend {
  const change = now - before;
  const size = change < 0n ? -change : change;
  const tenths = before > 0n ? divideHalfUp(1_000n * size, before) : size === 0n ? 0n : 1_000n;
  if (tenths === 0n) return noTrend;
  return { trend: Number(tenths) / 10, trendDirection: change > 0n ? "up" : "down" };
}

/** A share in percent with two decimals. 0 if `whole` is 0. Requires values of at least 0. */
export const percentOf = (part: bigint, whole: bigint): number =>
  whole === 0n ? 0 : Number(divideHalfUp(10_000n * part, whole)) / 100;

/** An average, rounded half up. 0 if `count` is 0. Requires values of at least 0. */
export const averageOf = (sum: bigint, count: bigint): bigint => (count === 0n ? 0n : divideHalfUp(sum, count));

/** Counts over all currencies, and amounts in the smallest unit of one currency. Sums of amounts may exceed 2^53. */
export interface Figures {
  readonly clicks: bigint;
  readonly uniqueClicks: bigint;
  readonly leads: bigint;
  readonly sales: bigint;
  /** Sales in the currency of the amounts. */
  readonly salesInCurrency: bigint;
  readonly refunds: bigint;
  readonly revenueCents: bigint;
  readonly refundedCents: bigint;
  readonly commissionCents: bigint;
  readonly organicSales: bigint;
  readonly organicRevenueCents: bigint;
}

const sumOf = (all: readonly Figures[], name: keyof Figures): bigint =>
  all.reduce((sum, figures) => sum + figures[name], 0n);

export const sumFigures = (all: readonly Figures[]): Figures => ({
  clicks: sumOf(all, "clicks"),
  uniqueClicks: sumOf(all, "uniqueClicks"),
  leads: sumOf(all, "leads"),
  sales: sumOf(all, "sales"),
  salesInCurrency: sumOf(all, "salesInCurrency"),
  refunds: sumOf(all, "refunds"),
  revenueCents: sumOf(all, "revenueCents"),
  refundedCents: sumOf(all, "refundedCents"),
  commissionCents: sumOf(all, "commissionCents"),
  organicSales: sumOf(all, "organicSales"),
  organicRevenueCents: sumOf(all, "organicRevenueCents"),
});

import { clamped } from "#domain/money.ts";
import {
  averageOf,
  type Days,
  type Figures,
  listDays,
  noTrend,
  percentOf,
  sumFigures,
  trendOf,
} from "#domain/performance.ts";
import { int64 } from "#http/schema/integers.ts";
import { record, sum } from "#http/schema/record.ts";
import * as z from "#http/schema/zod.ts";
import { periodMeta } from "./period.ts";

const count = int64();
const smallestUnit = "Amount in the currency's smallest unit.";
const cents = int64().describe(smallestUnit);
const inCurrency = "Number of attributed sales in `currency`, to which the amounts belong.";
const Trend = z.object({ trend: z.number(), trendDirection: z.enum(["up", "down", "stable"]) }).openapi("Trend", {
  description: "Size of the change in percent, compared with the preceding period of the same length.",
});
const Window = z.object({ dateFrom: z.string(), dateTo: z.string() });

const figures = record(undefined, {
  clicks: sum(),
  uniqueClicks: sum(),
  leads: sum(),
  sales: sum("Number of attributed sales, in any currency."),
  salesInCurrency: sum(inCurrency),
  refunds: sum(),
  revenueCents: sum(smallestUnit),
  refundedCents: sum(smallestUnit),
  commissionCents: sum("Commission earned less reversed, on the day of the ledger entry."),
  organicSales: sum("Sales without a partner."),
  organicRevenueCents: sum(smallestUnit),
});

export const PerformanceReply = z
  .object({
    data: z
      .array(z.object({ date: z.string(), ...figures.schema.shape }))
      .describe("One row for every day of the range."),
    metrics: z.object({
      totalClicks: count,
      totalUniqueClicks: count.describe("Sum of the unique visitors of each day."),
      totalLeads: count,
      totalSales: count.describe("Number of attributed sales, in any currency."),
      salesInCurrency: count.describe(inCurrency),
      totalRefunds: count,
      totalRevenueCents: cents,
      totalRefundedCents: cents,
      totalCommissionCents: cents,
      totalOrganicSales: count,
      totalOrganicRevenueCents: cents,
      activePartners: count.describe("Partners with a click, a lead or a sale in the range, in any currency."),
      averageOrderValueCents: cents.describe("`totalRevenueCents` divided by `salesInCurrency`."),
      conversionRate: z.number().describe("Sales per 100 clicks, in any currency."),
      clicksTrend: Trend,
      leadsTrend: Trend,
      salesTrend: Trend,
      revenueTrend: Trend,
      commissionTrend: Trend,
    }),
    meta: z.object({
      ...periodMeta,
      ...Window.shape,
      previousPeriod: Window.nullable(),
    }),
  })
  .openapi("Performance");

export interface Performance {
  readonly period: z.output<typeof PerformanceReply>["meta"]["period"];
  readonly days: Days;
  readonly previous: Days | undefined;
  readonly counted: readonly (Figures & { readonly day: string })[];
  readonly activePartners: number;
  readonly currencies: readonly string[];
  readonly currency: string;
  readonly timezone: string;
}

export function performanceReply(performance: Performance): z.output<typeof PerformanceReply> {
  const { period, days, previous, counted, currencies, currency, timezone } = performance;
  const byDay = new Map(counted.map((figures) => [figures.day, figures]));
  const isWithin = ({ from, to }: Days) => counted.filter(({ day }) => from <= day && day <= to);
  const now = sumFigures(isWithin(days));
  const before = previous && sumFigures(isWithin(previous));
  const trend = (name: keyof Figures) => (before === undefined ? noTrend : trendOf(now[name], before[name]));
  return {
    data: listDays(days).map((day) => ({ date: day, ...figures.reply(byDay.get(day) ?? sumFigures([])) })),
    metrics: {
      totalClicks: clamped(now.clicks),
      totalUniqueClicks: clamped(now.uniqueClicks),
      totalLeads: clamped(now.leads),
      totalSales: clamped(now.sales),
      salesInCurrency: clamped(now.salesInCurrency),
      totalRefunds: clamped(now.refunds),
      totalRevenueCents: clamped(now.revenueCents),
      totalRefundedCents: clamped(now.refundedCents),
      totalCommissionCents: clamped(now.commissionCents),
      totalOrganicSales: clamped(now.organicSales),
      totalOrganicRevenueCents: clamped(now.organicRevenueCents),
      activePartners: performance.activePartners,
      averageOrderValueCents: clamped(averageOf(now.revenueCents, now.salesInCurrency)),
      conversionRate: percentOf(now.sales, now.clicks),
      clicksTrend: trend("clicks"),
      leadsTrend: trend("leads"),
      salesTrend: trend("sales"),
      revenueTrend: trend("revenueCents"),
      commissionTrend: trend("commissionCents"),
    },
    meta: {
      period,
      ...windowOf(days),
      previousPeriod: previous === undefined ? null : windowOf(previous),
      currency,
      otherCurrencies: currencies.filter((other) => other !== currency),
      timezone,
    },
  };
}

const windowOf = ({ from, to }: Days) => ({ dateFrom: from, dateTo: to });

import {
  bothDays,
  daysShown,
  ever,
  inOrder,
  maxDays,
  ofDays,
  partnerId,
  periodFields,
  periodMeta,
  rangeOf,
} from "#api/period.ts";
import { readFromDatabase } from "#api/read-database.ts";
import { currencyOrUnit, unitsOf } from "#api/units.ts";
import { dayIn } from "#domain/calendar.ts";
import { haveClicksStopped } from "#domain/click-pace.ts";
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
import { readiness, readinessStates } from "#domain/readiness.ts";
import { notFound } from "#domain/result.ts";
import { createRoute, endpoint, refusals, refuse, returns } from "#http/endpoint.ts";
import { id, int64 } from "#http/schema/integers.ts";
import { record, sum } from "#http/schema/record.ts";
import { timestampOrNull } from "#http/schema/timestamp.ts";
import * as z from "#http/schema/zod.ts";
import { inTurn } from "#http/turns.ts";
import { readOverview, type Standing } from "#store/reports/overview.ts";
import { readPerformance } from "#store/reports/performance.ts";
import { maxCounted, type TopRow } from "#store/reports/top-lists.ts";
import { actingMember } from "./actor.ts";
import { memberRefusals, programMember } from "./guards.ts";
import { ProgramPath } from "./params.ts";

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
  commissionCents: sum(
    "Commission earned minus commission reversed, by the day of the ledger entry, without corrected sales.",
  ),
  organicSales: sum("Number of sales without a partner."),
  organicRevenueCents: sum(smallestUnit),
});

const PerformanceReply = z
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

function performanceReply(performance: Performance): z.output<typeof PerformanceReply> {
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

const PerformanceQuery = z
  .object({
    ...periodFields(),
    partnerId: partnerId(),
    currency: currencyOrUnit().optional().describe("Defaults to the program's currency."),
  })
  .refine(...bothDays())
  .refine(...inOrder())
  .refine(...ofDays(maxDays));

export const performance = endpoint({
  route: createRoute({
    method: "get",
    path: "/performance/{programId}",
    operationId: "getPerformance",
    tags: ["Dashboard"],
    summary: "Get a program's performance",
    description:
      "Days are in the program's time zone and fixed when an event is recorded. Leads, sales, refunds and " +
      "revenue include only attributed events, gross, on the day of the event. Counts include all currencies; " +
      "amounts are in one currency. Test events are not counted.",
    ...programMember("viewer"),
    request: { params: ProgramPath, query: PerformanceQuery },
    responses: {
      ...returns("Performance metrics", PerformanceReply),
      ...refusals([...memberRefusals, "invalid_input"]),
    },
  }),
  handler: async (c) => {
    const query = c.req.valid("query");
    const program = c.get("program");
    const call = c.get("call");
    const today = dayIn(program.timezone, call.at);
    const { period, days, previous } = rangeOf(query, today);
    const { currency = program.currency, partnerId } = query;
    const known = await unitsOf(c, program.id, query.currency);
    if (!known.ok) return refuse(c, known.refusal);
    const filter = { days, since: (previous ?? days).from, partnerId, currency };
    const book = { programId: program.id, isTest: false };
    const found = await readFromDatabase(c, "program", (database) => readPerformance(database, book, filter));
    if (!found.ok) return refuse(c, found.refusal);

    const { days: counted, ...rest } = found.value;
    const shownDays = daysShown(days, counted, today);
    const { timezone } = program;
    return c.json(performanceReply({ ...rest, period, days: shownDays, previous, counted, currency, timezone }), 200);
  },
});

const OverviewQuery = z
  .object({ ...periodFields(), partnerId: partnerId() })
  .refine(...bothDays())
  .refine(...inOrder())
  .refine(...ofDays(maxDays));

const TopList = (what: string) =>
  z
    .array(
      z
        .object({
          value: z.string().nullable().describe("Value that the row counts. Null if it is unknown."),
          clicks: count,
          sales: count.describe("Number of attributed sales whose click has this value, in any currency."),
        })
        .openapi("TopListRow"),
    )
    .describe(`${what}, most clicks first, at most 10.`);

const OverviewReply = z
  .object({
    data: z.object({
      commissions: z
        .array(
          z.object({
            currency: z.string(),
            pendingCents: int64().describe("Sum on hold, in the currency's smallest unit."),
            approvedCents: int64().describe("Sum to pay or in payouts, in the currency's smallest unit."),
            paidCents: int64().describe("Sum paid, in the currency's smallest unit."),
            unconfirmed: count.describe("Number of commissions on hold that need a confirmation."),
          }),
        )
        .describe("All commissions of the program by status, regardless of the period."),
      integrationVerified: z.boolean(),
      state: z.enum(readinessStates).describe("State of the program's readiness."),
      lastClickAt: z.iso
        .datetime()
        .nullable()
        .describe("Time of the program's latest click, regardless of the period and partner."),
      clicksStopped: z
        .boolean()
        .describe(
          "True if no click was recorded for unusually long: for at least a day, and for longer than is likely given the days without clicks in the four weeks up to the latest click.",
        ),
      landingPages: TopList("Landing pages without their query"),
      referrers: TopList("Hosts of referrers"),
      countries: TopList("Countries (ISO 3166-1 alpha-2)"),
      devices: TopList("Types of device"),
    }),
    meta: z.object({
      period: z.enum(["7d", "30d", "90d", "all", "custom"]),
      dateFrom: z.string().nullable().describe("First day of the range. Null for `all`."),
      dateTo: z.string().nullable().describe("Last day of the range. Null for `all`."),
      timezone: z.string(),
      partner: z
        .object({ id: id(), name: z.string() })
        .nullable()
        .describe("The partner in the query. Null if there is none, or if it isn't a partner of the program."),
      countedClicks: count.describe(
        `Number of clicks that the lists count: at most the latest ${maxCounted.clicks} of the period.`,
      ),
      countedSales: count.describe(
        `Number of sales that the lists count: at most the latest ${maxCounted.sales} of the period.`,
      ),
      isComplete: z.boolean().describe("False if the period may have more clicks or sales than the lists count."),
    }),
  })
  .openapi("Overview");

export const overview = endpoint({
  route: createRoute({
    method: "get",
    path: "/overview/{programId}",
    operationId: "getOverview",
    tags: ["Dashboard"],
    summary: "Get a program's top lists and open commissions",
    description:
      "Sources of the clicks and attributed sales of a period, and the program's commissions by status. Days " +
      "are in the program's time zone. Test events are not counted.",
    ...programMember("viewer"),
    request: { params: ProgramPath, query: OverviewQuery },
    responses: {
      ...returns("Overview", OverviewReply),
      ...refusals([...memberRefusals, "invalid_input"]),
    },
  }),
  handler: async (c) => {
    const { partnerId, ...query } = c.req.valid("query");
    const program = c.get("program");
    const { at } = c.get("call");
    const { period, days } = rangeOf(query, dayIn(program.timezone, at));
    const book = { programId: program.id, isTest: false };
    const found = await inTurn(c, actingMember(c), () =>
      readFromDatabase(c, "program", (database) => readOverview(database, book, { days, partnerId, at })),
    );
    if (!found.ok) return refuse(c, found.refusal);
    if (found.value === undefined) return refuse(c, notFound("program"));

    const { facts, standing, pace, partner, listOf, counted } = found.value;
    const { integrationVerified, state, lastEventAt } = readiness(facts, at);
    const data = {
      commissions: standing.map(standingReply),
      integrationVerified,
      state,
      lastClickAt: timestampOrNull(lastEventAt.click),
      clicksStopped: haveClicksStopped(lastEventAt.click, pace, at),
      landingPages: listOf("landingPages").map(rowReply),
      referrers: listOf("referrers").map(rowReply),
      countries: listOf("countries").map(rowReply),
      devices: listOf("devices").map(rowReply),
    };
    const meta = {
      period,
      dateFrom: days === ever ? null : days.from,
      dateTo: days === ever ? null : days.to,
      timezone: program.timezone,
      partner: partner && { id: partner.id, name: partner.name },
      countedClicks: counted.clicks,
      countedSales: counted.sales,
      isComplete: counted.clicks < maxCounted.clicks && counted.sales < maxCounted.sales,
    };
    return c.json({ data, meta }, 200);
  },
});

const rowReply = ({ value, clicks, sales }: TopRow) => ({ value, clicks, sales });

const standingReply = ({ currency, pendingCents, approvedCents, paidCents, unconfirmed }: Standing) => ({
  currency,
  pendingCents: clamped(pendingCents),
  approvedCents: clamped(approvedCents),
  paidCents: clamped(paidCents),
  unconfirmed,
});

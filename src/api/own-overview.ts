import { type Balance, balanceOf } from "#domain/balance.ts";
import { dayIn } from "#domain/calendar.ts";
import { termsText } from "#domain/explain/terms-text.ts";
import { minimumPayout } from "#domain/payout.ts";
import { type Days, type Figures, listDays, sumFigures } from "#domain/performance.ts";
import { ok, type Result } from "#domain/result.ts";
import type { Ctx } from "#http/context.ts";
import { int64 } from "#http/schema/integers.ts";
import { record, sum } from "#http/schema/record.ts";
import * as z from "#http/schema/zod.ts";
import type { OwnPartner } from "#store/own-partner.ts";
import { type PartnerOverview, readPartnerOverview } from "#store/reports/partner-overview.ts";
import { NextStep, nextReply, reachedReply } from "./next-step.ts";
import { daysShown, type PeriodQuery, periodMeta, rangeOf } from "./period.ts";
import { readFromDatabase } from "./read-database.ts";
import { unitsOf } from "./units.ts";

const smallestUnit = "Amount in the currency's smallest unit.";

const figures = record(undefined, {
  clicks: sum(),
  uniqueClicks: sum("Number of unique visitors on the day."),
  leads: sum(),
  sales: sum("Number of sales, in any currency."),
  commissionCents: sum(
    "Commission earned minus commission reversed, by the day of the event, in the currency's smallest unit.",
  ),
});

const revenue = record(undefined, {
  revenueCents: sum("Revenue of the sales, before refunds. Only if the program shows it to partners."),
});

const shownFigures = { ...figures.schema.shape, ...revenue.schema.partial().shape };

const cents = (description: string) => int64().describe(description);

export const OwnBalance = z
  .object({
    currency: z.string(),
    pendingCents: cents("Amount on hold: commissions that aren't approved yet."),
    payableCents: cents("Amount to pay: approved and in no payout. 0 if more was reversed than earned."),
    inPayoutCents: cents("Amount in payouts that are being paid."),
    carriedCents: cents("Debt to be deducted from the next payouts, as a negative amount. 0 if none."),
    paidCents: cents("Paid so far, minus returned payments."),
  })
  .openapi("OwnBalance");

const NextPayout = z
  .object({
    currency: z.string(),
    minimumCents: cents("Smallest amount that the program pays."),
    terms: z.string().nullable().describe("The program's payout terms, as text."),
    payableCents: cents(smallestUnit),
    nextHoldEnd: z
      .string()
      .nullable()
      .describe(
        "Next day on which a commission on hold becomes payable, in the program's time zone. Null if none is scheduled.",
      ),
  })
  .openapi("NextPayout");

export const OverviewReply = z
  .object({
    data: z.object({
      days: z.array(z.object({ date: z.string(), ...shownFigures })).describe("One row for every day of the range."),
      totals: z.object(shownFigures).describe("Totals over the range."),
      balances: z
        .array(OwnBalance)
        .describe("One balance for each currency that has commissions or adjustments, sorted by currency."),
      nextPayout: NextPayout,
      commission: z
        .string()
        .nullable()
        .describe(
          "Commission for sales from now on and the program's bonuses, as text. Null if sales currently earn nothing.",
        ),
      next: NextStep,
      reached: z
        .string()
        .nullable()
        .describe("Rate or amount of the tier that applies to the next sale, as text. Null if no tier is reached.")
        .openapi({ example: "25%" }),
    }),
    meta: z.object({ ...periodMeta, dateFrom: z.string(), dateTo: z.string() }),
  })
  .openapi("PartnerOverview");

interface Shown {
  readonly period: z.output<typeof OverviewReply>["meta"]["period"];
  readonly days: Days;
  readonly currency: string;
  readonly today: string;
  /** Now (ms). */
  readonly at: number;
}

export function overviewReply(
  partner: PartnerTerms,
  { period, days, currency, today, at }: Shown,
  { days: counted, currencies, balances, nextHoldEnd, policy }: PartnerOverview,
): z.output<typeof OverviewReply> {
  const byDay = new Map(counted.map((each) => [each.day, each]));
  const shown = (each: Figures) => ({ ...figures.reply(each), ...(partner.seesRevenue && revenue.reply(each)) });
  return {
    data: {
      days: listDays(days).map((day) => ({ date: day, ...shown(byDay.get(day) ?? sumFigures([])) })),
      totals: shown(sumFigures(counted)),
      balances: [...balances],
      nextPayout: {
        currency,
        minimumCents: minimumPayout(partner, currency),
        terms: partner.payoutTerms,
        payableCents: (balances.find((each) => each.currency === currency) ?? noBalance).payableCents,
        nextHoldEnd: nextHoldEnd === null ? null : later(dayIn(partner.timezone, nextHoldEnd), today),
      },
      commission: policy === undefined ? null : termsText(policy, policy.bonuses),
      next: nextReply(policy, partner, at),
      reached: reachedReply(policy, partner, at),
    },
    meta: {
      period,
      dateFrom: days.from,
      dateTo: days.to,
      currency,
      otherCurrencies: currencies.filter((other) => other !== currency),
      timezone: partner.timezone,
    },
  };
}

export type PartnerTerms = Pick<
  OwnPartner,
  "currency" | "timezone" | "minimumPayoutCents" | "payoutTerms" | "seesRevenue"
>;

const noBalance: Balance = balanceOf({ pendingCents: 0n, payableCents: 0n, inPayoutCents: 0n, paidCents: 0n });

/**
 * Returns the later of two instants. A hold that has just ended is shown as ending now, because its approval takes a
 * moment.
 */
const later = (a: string, b: string): string => (a > b ? a : b);

interface Asked extends PeriodQuery {
  /** Undefined means the program's currency. */
  readonly currency?: string | undefined;
}

export async function readOverview(
  c: Ctx,
  partner: OwnPartner,
  query: Asked,
): Promise<Result<z.output<typeof OverviewReply>>> {
  const { programId, partnerId } = partner;
  const { currency = partner.currency } = query;
  const known = await unitsOf(c, programId, query.currency);
  if (!known.ok) return known;
  const { at } = c.get("call");
  const today = dayIn(partner.timezone, at);
  const { period, days } = rangeOf(query, today);
  const read = await readFromDatabase(c, "program", (database) =>
    readPartnerOverview(database, { programId, partnerId, currency, days, at }),
  );
  if (!read.ok) return read;
  const shown = daysShown(days, read.value.days, today);
  return ok(overviewReply(partner, { period, days: shown, currency, today, at }, read.value));
}

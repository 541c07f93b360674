import { and, asc, between, eq, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { Book } from "#domain/book.ts";
import type { PartnerId, ProgramId } from "#domain/ids.ts";
import type { Days, Figures } from "#domain/performance.ts";
import { type Database, readBatch } from "../database.ts";
import { isSynthetic } from "../partners.ts";
import { dailyCounts } from "../schema/daily-counts.ts";
import { asText, given, readAll, readFirst, unencoded } from "../statement.ts";

type CountsQuery = {
  programId: ProgramId;
  isTest: boolean;
  from: string;
  to: string;
  partnerId: PartnerId | null;
};

const nextDay = (after: SQL): SQL => sql`select min(d.day) from daily_counts d
  where d.program_id = ${given("programId")} and d.is_test = ${unencoded("isTest")} and d.day ${after}
    and d.day <= ${given("to")}`;

/** Each step jumps to the next day in the index, so that SQLite doesn't read the rows of other partners. */
const daysWithCounts = sql`with recursive found(day) as (
  ${nextDay(sql`>= ${given("from")}`)} union all select (${nextDay(sql`> found.day`)}) from found where found.day is not null
) select day from found where day is not null`;

const counted = (of: "all" | "partner"): SQL | undefined =>
  and(
    eq(dailyCounts.programId, given("programId")),
    eq(dailyCounts.isTest, unencoded("isTest")),
    of === "all"
      ? between(dailyCounts.day, given("from"), given("to"))
      : and(sql`${dailyCounts.day} in (${daysWithCounts})`, eq(dailyCounts.partnerId, given("partnerId"))),
    sql`not ${isSynthetic(dailyCounts.partnerId)}`,
  );

/** Zero for rows of other currencies. */
export const ofCurrency = (column: SQLWrapper): SQL =>
  sql`case when ${dailyCounts.currency} = ${given("currency")} then ${column} else 0 end`;

const sumOf = (column: SQLWrapper) => asText(sql`sum(${column})`).mapWith(BigInt);

const countsOf = (of: "all" | "partner") => ({
  /** Contains only days with events. */
  days: readAll<CountsQuery & { currency: string }, Figures & { day: string }>((db) =>
    db
      .select({
        day: dailyCounts.day,
        clicks: sumOf(dailyCounts.clicks),
        uniqueClicks: sumOf(dailyCounts.uniqueClicks),
        leads: sumOf(dailyCounts.leads),
        sales: sumOf(dailyCounts.sales),
        salesInCurrency: sumOf(ofCurrency(dailyCounts.sales)),
        refunds: sumOf(dailyCounts.refunds),
        revenueCents: sumOf(ofCurrency(dailyCounts.revenueCents)),
        refundedCents: sumOf(ofCurrency(dailyCounts.refundedCents)),
        commissionCents: sumOf(ofCurrency(dailyCounts.commissionCents)),
        organicSales: sumOf(dailyCounts.organicSales),
        organicRevenueCents: sumOf(ofCurrency(dailyCounts.organicRevenueCents)),
      })
      .from(dailyCounts)
      .where(counted(of))
      .groupBy(dailyCounts.day)
      .orderBy(asc(dailyCounts.day)),
  ),
  active: readFirst<CountsQuery, { n: number }>((db) =>
    db
      .select({ n: sql<number>`count(distinct ${dailyCounts.partnerId})` })
      .from(dailyCounts)
      .where(
        and(
          counted(of),
          sql`${dailyCounts.partnerId} > 0 and ${dailyCounts.clicks} + ${dailyCounts.leads} + ${dailyCounts.sales} > 0`,
        ),
      ),
  ),
  currencies: readAll<CountsQuery, { currency: string }>((db) =>
    db
      .selectDistinct({ currency: dailyCounts.currency })
      .from(dailyCounts)
      .where(and(counted(of), sql`${dailyCounts.currency} <> ''`))
      .orderBy(asc(dailyCounts.currency)),
  ),
});

export const countsOfAll = countsOf("all");
export const countsOfPartner = countsOf("partner");

export interface PerformanceQuery {
  readonly days: Days;
  /** First day to read. Days before the requested ones are counted for comparison. */
  readonly since: string;
  readonly partnerId: PartnerId | undefined;
  readonly currency: string;
}

/**
 * `days` contains only days with events. The number of active partners and the currencies are those of the requested
 * days. Makes one database request.
 */
export async function readPerformance(
  database: Database,
  { programId, isTest }: Book,
  { days: { from, to }, since, partnerId, currency }: PerformanceQuery,
) {
  const asked = { programId, isTest, from, to, partnerId: partnerId ?? null };
  const counts = partnerId === undefined ? countsOfAll : countsOfPartner;
  const found = await readBatch(database, {
    days: counts.days({ ...asked, from: since, currency }),
    active: counts.active(asked),
    currencies: counts.currencies(asked),
  });
  return {
    days: found.days,
    activePartners: found.active?.n ?? 0,
    currencies: found.currencies.map((row) => row.currency),
  };
}

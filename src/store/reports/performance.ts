import { and, asc, between, eq, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { Book } from "#domain/book.ts";
import type { PartnerId, ProgramId } from "#domain/ids.ts";
import type { Days, Figures } from "#domain/performance.ts";
import { type Database, readBatch } from "../database.ts";
import { isSynthetic } from "../partners.ts";
import { dailyCounts } from "../schema/daily-counts.ts";
import { asText, param, readAll, readFirst } from "../statement.ts";

type CountsQuery = {
  programId: ProgramId;
  isTest: boolean;
  from: string;
  to: string;
  partnerId: PartnerId | null;
};

const counted = (): SQL | undefined =>
  and(
    eq(dailyCounts.programId, sql.placeholder("programId")),
    eq(dailyCounts.isTest, param("isTest")),
    between(dailyCounts.day, sql.placeholder("from"), sql.placeholder("to")),
    sql`(${sql.placeholder("partnerId")} is null or ${dailyCounts.partnerId} = ${sql.placeholder("partnerId")})`,
    sql`not ${isSynthetic(dailyCounts.partnerId)}`,
  );

/** Zero in rows of another currency. */
export const ofCurrency = (column: SQLWrapper): SQL =>
  sql`case when ${dailyCounts.currency} = ${sql.placeholder("currency")} then ${column} else 0 end`;

const sumOf = (column: SQLWrapper) => asText(sql`sum(${column})`).mapWith(BigInt);

/** By day. Only days with events. */
export const countsByDay = readAll<CountsQuery & { currency: string }, Figures & { day: string }>((db) =>
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
    .where(counted())
    .groupBy(dailyCounts.day)
    .orderBy(asc(dailyCounts.day)),
);

const activePartners = readFirst<CountsQuery, { n: number }>((db) =>
  db
    .select({ n: sql<number>`count(distinct ${dailyCounts.partnerId})` })
    .from(dailyCounts)
    .where(
      and(
        counted(),
        sql`${dailyCounts.partnerId} > 0 and ${dailyCounts.clicks} + ${dailyCounts.leads} + ${dailyCounts.sales} > 0`,
      ),
    ),
);

export const currencies = readAll<CountsQuery, { currency: string }>((db) =>
  db
    .selectDistinct({ currency: dailyCounts.currency })
    .from(dailyCounts)
    .where(and(counted(), sql`${dailyCounts.currency} <> ''`))
    .orderBy(asc(dailyCounts.currency)),
);

export interface PerformanceQuery {
  readonly days: Days;
  /** Days from here on are counted too, for comparison. */
  readonly since: string;
  readonly partnerId: PartnerId | undefined;
  readonly currency: string;
}

/** One request. `days` has only days with events; partners and currencies are those of the days asked for. */
export async function readPerformance(
  database: Database,
  { programId, isTest }: Book,
  { days: { from, to }, since, partnerId, currency }: PerformanceQuery,
) {
  const asked = { programId, isTest, from, to, partnerId: partnerId ?? null };
  const found = await readBatch(database, {
    days: countsByDay({ ...asked, from: since, currency }),
    active: activePartners(asked),
    currencies: currencies(asked),
  });
  return {
    days: found.days,
    activePartners: found.active?.n ?? 0,
    currencies: found.currencies.map((row) => row.currency),
  };
}

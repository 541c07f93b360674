import { and, asc, between, desc, eq, gt, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { Book } from "#domain/book.ts";
import type { ProgramId } from "#domain/ids.ts";
import type { Days, Figures } from "#domain/performance.ts";
import { containing } from "../containing.ts";
import { type Database, readBatch } from "../database.ts";
import { isFirstLink } from "../partners.ts";
import { dailyCounts } from "../schema/daily-counts.ts";
import { partnerBalances as balances } from "../schema/partner-balances.ts";
import { partners, referralLinks } from "../schema/partners.ts";
import { programs } from "../schema/programs.ts";
import { asText, type Compiler, given, readAll, readCount, readFirst, unencoded } from "../statement.ts";
import {
  matchesSearch,
  type PartnerSearch,
  type PartnerView,
  partnerColumns,
  type SearchValues,
  searchValues,
} from "../views/partners.ts";
import { countsOfAll, ofCurrency } from "./performance.ts";

export const partnerSorts = [
  "revenue",
  "commission",
  "unpaid",
  "clicks",
  "sales",
  "leads",
  "conversion",
  "name",
] as const;
export type PartnerSort = (typeof partnerSorts)[number];
type FigureSort = Exclude<PartnerSort, "name">;
export const sortOrders = ["asc", "desc"] as const;
export type SortOrder = (typeof sortOrders)[number];

export type PartnerFigures = Omit<Figures, "salesInCurrency" | "organicSales" | "organicRevenueCents">;

interface Unpaid {
  /** If positive, the payable amount. If negative, the amount that the partner owes. */
  readonly unpaidCents: bigint;
}
interface Carried {
  /** The part of the unpaid sum that partners owe: negative or 0. */
  readonly carriedCents: bigint;
}
export type PartnerPerformanceRow = PartnerView & PartnerFigures & Unpaid;
export type PartnerTotals = PartnerFigures & Unpaid & Carried;

const figureNames = [
  "clicks",
  "uniqueClicks",
  "leads",
  "sales",
  "refunds",
  "revenueCents",
  "refundedCents",
  "commissionCents",
] satisfies readonly (keyof PartnerFigures)[];

const summed = <Name extends keyof PartnerFigures>(name: Name, column: SQLWrapper): SQL.Aliased<number> =>
  sql<number>`sum(${column})`.as(name);

/** Counts include sales of all currencies. Amounts are in the requested currency. */
const figureColumns = {
  clicks: dailyCounts.clicks,
  uniqueClicks: dailyCounts.uniqueClicks,
  leads: dailyCounts.leads,
  sales: dailyCounts.sales,
  refunds: dailyCounts.refunds,
  revenueCents: ofCurrency(dailyCounts.revenueCents),
  refundedCents: ofCurrency(dailyCounts.refundedCents),
  commissionCents: ofCurrency(dailyCounts.commissionCents),
} as const satisfies Record<keyof PartnerFigures, SQLWrapper>;

const isCounted = and(
  eq(dailyCounts.programId, given("programId")),
  eq(dailyCounts.isTest, unencoded("isTest")),
  between(dailyCounts.day, given("from"), given("to")),
  gt(dailyCounts.partnerId, 0),
);

function countsByPartner(db: Compiler) {
  const figures = Object.fromEntries(figureNames.map((name) => [name, summed(name, figureColumns[name])])) as {
    readonly [Name in keyof PartnerFigures]: SQL.Aliased<number>;
  };
  return db
    .select({ partnerId: dailyCounts.partnerId, ...figures })
    .from(dailyCounts)
    .where(isCounted)
    .groupBy(dailyCounts.partnerId)
    .as("counted");
}

const isListed = and(eq(partners.programId, given("programId")), eq(partners.isSynthetic, false), matchesSearch);

type Values = SearchValues & {
  programId: ProgramId;
  isTest: boolean;
  from: string;
  to: string;
  currency: string;
  limit: number;
  offset: number;
};

const sortedBy = {
  revenue: "revenueCents",
  commission: "commissionCents",
  clicks: "clicks",
  sales: "sales",
  leads: "leads",
} as const satisfies Record<Exclude<FigureSort, "conversion" | "unpaid">, keyof PartnerFigures>;

const isInCurrency = and(eq(balances.programId, given("programId")), eq(balances.currency, given("currency")));

const figureIn =
  (counted: ReturnType<typeof countsByPartner>) =>
  (name: keyof PartnerFigures): SQL<number> =>
    sql<number>`coalesce(${counted[name]}, 0)`;

const unpaid = sql`coalesce(${balances.payableCents}, 0)`;

/** The expression by which the list is sorted. */
function sortedFigure(counted: ReturnType<typeof countsByPartner>, sort: FigureSort): SQL {
  const figureOf = figureIn(counted);
  if (sort === "unpaid") return unpaid;
  // A partner can have sales without clicks, so the divisor is at least 1.
  if (sort === "conversion") return sql`${figureOf("sales")} * 1.0 / max(${figureOf("clicks")}, 1)`;
  return figureOf(sortedBy[sort]);
}

const isNonzero = (counted: ReturnType<typeof countsByPartner>, sort: PartnerSort): SQL | undefined =>
  sort === "name" ? undefined : sql`${sortedFigure(counted, sort)} <> 0`;

const partnersSorted = (sort: PartnerSort, order: SortOrder, hidesZeros: boolean) =>
  readAll<Values, PartnerPerformanceRow>((db) => {
    const counted = countsByPartner(db);
    const figureOf = figureIn(counted);
    const figures = Object.fromEntries(
      figureNames.map((name) => [name, asText(figureOf(name)).mapWith(BigInt)]),
    ) as Record<keyof PartnerFigures, SQL<bigint>>;
    const byName = sql`${partners.name} collate nocase`;
    const direction = order === "asc" ? asc : desc;
    return db
      .select({
        ...partnerColumns,
        ...figures,
        unpaidCents: asText(unpaid).mapWith(BigInt),
      })
      .from(partners)
      .innerJoin(programs, eq(programs.id, partners.programId))
      .innerJoin(referralLinks, isFirstLink)
      .leftJoin(counted, eq(counted.partnerId, partners.id))
      .leftJoin(balances, and(isInCurrency, eq(balances.partnerId, partners.id)))
      .where(and(isListed, hidesZeros ? isNonzero(counted, sort) : undefined))
      .orderBy(
        ...(sort === "name" ? [direction(byName)] : [direction(sortedFigure(counted, sort)), asc(byName)]),
        asc(partners.id),
      )
      .limit(given("limit"))
      .offset(given("offset"));
  });

const listingsOf = (hidesZeros: boolean) =>
  Object.fromEntries(
    partnerSorts.flatMap((sort) =>
      sortOrders.map((order) => [`${sort} ${order}`, partnersSorted(sort, order, hidesZeros)]),
    ),
  ) as Readonly<Record<`${PartnerSort} ${SortOrder}`, ReturnType<typeof partnersSorted>>>;
const listings = listingsOf(false);
const nonzeroListings = listingsOf(true);

const listedCount = readCount<{ programId: ProgramId } & SearchValues>((db) =>
  db.select({ n: sql<number>`count(*)` }).from(partners).where(isListed),
);

const nonzeroCounts = Object.fromEntries(
  partnerSorts.map((sort) => [
    sort,
    readCount<Omit<Values, "limit" | "offset">>((db) => {
      const counted = countsByPartner(db);
      return db
        .select({ n: sql<number>`count(*)` })
        .from(partners)
        .leftJoin(counted, eq(counted.partnerId, partners.id))
        .leftJoin(balances, and(isInCurrency, eq(balances.partnerId, partners.id)))
        .where(and(isListed, isNonzero(counted, sort)));
    }),
  ]),
) as Readonly<Record<PartnerSort, ReturnType<typeof readCount<Omit<Values, "limit" | "offset">>>>>;

/**
 * Totals of all partners that match the search. They are selected as text, because the libSQL client rejects integers
 * above 2^53.
 */
const totals = readFirst<Omit<Values, "limit" | "offset">, PartnerFigures>((db) => {
  const sums = Object.fromEntries(
    figureNames.map((name) => [name, sql`cast(coalesce(sum(${figureColumns[name]}), 0) as text)`.mapWith(BigInt)]),
  ) as Record<keyof PartnerFigures, SQL<bigint>>;
  const listed = db.select({ id: partners.id }).from(partners).where(isListed);
  return db
    .select(sums)
    .from(dailyCounts)
    .where(and(isCounted, sql`(${given("pattern")} = ${containing("")} or ${dailyCounts.partnerId} in (${listed}))`));
});

const unpaidTotal = readFirst<{ programId: ProgramId; currency: string } & SearchValues, Unpaid & Carried>((db) =>
  db
    .select({
      unpaidCents: asText(sql`coalesce(sum(${balances.payableCents}), 0)`).mapWith(BigInt),
      carriedCents: asText(sql`coalesce(sum(min(${balances.payableCents}, 0)), 0)`).mapWith(BigInt),
    })
    .from(balances)
    .where(
      and(
        isInCurrency,
        sql`(${given("pattern")} = ${containing("")}
          or ${balances.partnerId} in (${db.select({ id: partners.id }).from(partners).where(isListed)}))`,
      ),
    ),
);

export interface PartnerPerformanceQuery {
  readonly days: Days;
  readonly currency: string;
  readonly search: PartnerSearch;
  readonly sort: PartnerSort;
  readonly order: SortOrder;
  /** If true, a partner is left out if the figure by which the list is sorted is 0. */
  readonly hidesZeros: boolean;
  readonly limit: number;
  readonly offset: number;
}

/** Makes one database request. */
export async function readPartnerPerformance(
  database: Database,
  { programId, isTest }: Book,
  { days: { from, to }, currency, search, sort, order, hidesZeros, limit, offset }: PartnerPerformanceQuery,
) {
  const searched = searchValues(search);
  const asked = { programId, isTest, from, to, currency, ...searched };
  const found = await readBatch(database, {
    rows: (hidesZeros ? nonzeroListings : listings)[`${sort} ${order}`]({ ...asked, limit, offset }),
    total: hidesZeros ? nonzeroCounts[sort](asked) : listedCount({ programId, ...searched }),
    totals: totals(asked),
    unpaid: unpaidTotal({ programId, currency, ...searched }),
    currencies: countsOfAll.currencies({ programId, isTest, from, to, partnerId: null }),
  });
  const { totals: figures, unpaid } = found;
  if (figures === undefined || unpaid === undefined) throw new Error("sums are always one row");
  return { ...found, totals: { ...figures, ...unpaid }, currencies: found.currencies.map((row) => row.currency) };
}
